package payments.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Events;
import payments.sandbox.junit.PaymentsSandbox;

/** What users of the extension see of it: each test runs a class of tests. */
@Isolated
class ExtensionTest {
  private static final String INNER = "payments.sandbox.inner";

  private record Ran(Events tests, String printed) {}

  /** The sandbox of each run is ended by it, as with any session. */
  private static Ran run(Class<?> type) {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true));
    System.setProperty(INNER, "true");
    try {
      return new Ran(EngineTestKit.engine("junit-jupiter").selectors(selectClass(type)).execute().testEvents(), printed.toString());
    } finally {
      System.clearProperty(INNER);
      System.setErr(before);
    }
  }

  private static void assertShows(String pattern, String printed) {
    assertTrue(Pattern.compile(pattern, Pattern.MULTILINE).matcher(printed).find(), () -> pattern + " is not in:\n" + printed);
  }

  @PaymentsSandbox
  @EnabledIfSystemProperty(named = INNER, matches = "true")
  @TestMethodOrder(MethodOrderer.MethodName.class)
  static class Failing {
    private World mine;

    @BeforeEach
    void setUp(World world) {
      mine = world;
    }

    @Test
    void thePayerCancels(World world) {
      assertSame(mine, world);
      Map<String, Object> payment = new HashMap<>(Map.of(
          "account_id", 63, "amount", 100, "phone_number", "0700000002", "provider", "m-pesa", "network_code", "63902",
          "external_reference", "order-1", "callback_url", "http://127.0.0.1:9/callbacks"));
      world.call("createCollection", payment);
      world.settle();
      assertEquals("SUCCESS", world.transaction("order-1").get("transaction", "status").asText());
    }

    @Test
    void isRefused(World world) {
      world.request("POST", "/api/v2/payments", Map.of("amount", 1));
      assertEquals(1, world.transactions().size());
    }

    @Test
    void asksNothing(World world) {
      assertEquals(1, world.transactions().size());
    }

    @Test
    void passes(World world) {
      assertEquals(0, world.transactions().size());
    }
  }

  @Test
  void aTestThatFailsShowsWhatHappenedInItsWorld() {
    Ran ran = run(Failing.class);
    ran.tests().assertStatistics(each -> each.started(4).failed(3).succeeded(1));
    String printed = ran.printed();
    assertShows("^---- payments sandbox, world demo\\+\\S+ of thePayerCancels", printed);
    assertShows("^The world's time is \\S+, and the clock is frozen", printed);
    assertShows("^\\S+ \\(order-1\\): KES 100, FAILED, cancelled, by the scenario payer-cancels$", printed);
    assertShows("^  \\S+  request   createCollection: 201$", printed);
    assertShows("^  \\S+  attempt   connection refused", printed);
    assertShows("^  \\S+  attempt   the same, 5 more until then$", printed);
    assertShows("^  callback 1: ", printed);
    assertShows("^Open http://127\\.0\\.0\\.1:\\d+/dashboard as ", printed);
    assertShows("^  req_\\d+: POST /api/v2/payments answered 400: ", printed);
    assertShows("^No request reached the service in this world", printed);
    assertEquals(3, printed.split("---- payments sandbox").length - 1);
  }

  @EnabledIfSystemProperty(named = INNER, matches = "true")
  static class Misspelt {
    @Test
    @PaymentsSandbox(clock = "frosen")
    void clock(World world) {}

    @Test
    @PaymentsSandbox(settings = "settle_after")
    void settings(World world) {}

    @Test
    @PaymentsSandbox(settings = "settle_aftr=2s")
    void setting(World world) {}
  }

  @Test
  void whatAnAnnotationDoesNotKnowIsTold() {
    Ran ran = run(Misspelt.class);
    ran.tests().assertStatistics(each -> each.failed(3));
    String told = ran.tests().failed().stream().map(Object::toString).reduce("", String::concat);
    assertShows("frozen, real or a time such as", told);
    assertShows("\"settle_after\" is not name=value", told);
    assertShows("settle_aftr.*settle_after", told);
  }
}
