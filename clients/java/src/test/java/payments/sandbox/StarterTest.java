package payments.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import payments.sandbox.junit.PaymentsSandbox;
import payments.sandbox.testcontainers.PaymentsSandboxContainer;

/** How a sandbox is started: by a command, in a container, or not at all. */
class StarterTest {
  private static String message(Map<String, String> environment) {
    return assertThrows(NoSandboxException.class, () -> new Starter(environment, Map.of()).start()).getMessage();
  }

  private static void assertHas(String part, String text) {
    assertTrue(text.contains(part), () -> "\"" + part + "\" is not in: " + text);
  }

  @Test
  @EnabledIfEnvironmentVariable(named = "PAYMENTS_SANDBOX_COMMAND", matches = ".+")
  void aCommandIsEndedWithTheSandboxAndTakesSettings(@TempDir Path folder) throws Exception {
    // A shell between, as npx is one.
    Path script = Files.writeString(folder.resolve("payments-sandbox"), "#!/bin/sh\n" + System.getenv("PAYMENTS_SANDBOX_COMMAND") + " \"$@\"\n");
    assertTrue(script.toFile().setExecutable(true));
    Map<String, String> path = Map.of("PATH", folder + ":" + System.getenv("PATH"));
    Sandbox sandbox = new Starter(path, Map.of("SANDBOX_SETTLE_AFTER", "7s")).start();
    try (sandbox; World world = sandbox.world()) {
      assertEquals("7s", world.call("getWorld", Map.of("world", "current"), null).get("settings", "settle_after").asText());
    }
    assertHas("no sandbox answers at " + sandbox.url(), assertThrows(NoSandboxException.class, sandbox::world).getMessage());
  }

  @Test
  void quotesHoldTogetherWhatHasSpaces() {
    assertEquals(List.of("node", "/a folder/cli.js", "", "start"), Starter.words(" node '/a folder/cli.js'  \"\" start"));
  }

  @Test
  void noSandboxSaysWhatWouldDo() {
    assertHas("PAYMENTS_SANDBOX_COMMAND='npx --no -- payments-sandbox'", message(Map.of("PATH", "/nowhere")));
  }

  @Test
  void anAddressThatIsNone() {
    assertHas("such as http://127.0.0.1:8080, got \"localhost:8080\"", message(Map.of("PAYMENTS_SANDBOX_URL", "localhost:8080")));
  }

  @Test
  void aCommandThatFailsShowsWhatItSaid(@TempDir Path folder) throws Exception {
    Path script = Files.writeString(folder.resolve("broken"), "#!/bin/sh\necho no licence\nexit 3\n");
    assertTrue(script.toFile().setExecutable(true));
    assertHas("It said:\nno licence", message(Map.of("PAYMENTS_SANDBOX_COMMAND", script.toString())));
    assertHas("could not be started", message(Map.of("PAYMENTS_SANDBOX_COMMAND", folder.resolve("absent").toString())));
  }

  @Test
  @PaymentsSandbox
  void aPasswordOfItsOwn(Sandbox sandbox) {
    Map<String, String> wrong = Map.of("PAYMENTS_SANDBOX_URL", sandbox.url(), "PAYMENTS_SANDBOX_PASSWORD", "wrong");
    assertEquals(401, assertThrows(SandboxException.class, () -> new Starter(wrong, Map.of()).start().world()).status());
  }

  @Test
  @PaymentsSandbox
  void anEngineWithoutTestcontainersIsAskedForAFreePort(Sandbox sandbox, @TempDir Path folder) throws Exception {
    String port = sandbox.url().replaceAll(".*:", "");
    Path engine = Files.writeString(folder.resolve("docker"), "#!/bin/sh\necho \"$@\" >>" + folder + "/calls\ncase $1 in\n"
        + "run) echo 0123456789ab ;;\nport) echo 127.0.0.1:" + port + " ;;\nesac\n");
    assertTrue(engine.toFile().setExecutable(true));
    Map<String, String> path = Map.of("PATH", folder + ":/usr/bin:/bin");
    try (Sandbox started = new Starter(path, Map.of()).start(); World world = started.world()) {
      assertEquals(sandbox.url(), world.url());
    }
    assertHas("stop --time 3 0123456789ab", Files.readString(folder.resolve("calls")));
  }

  /** PAYMENTS_SANDBOX_TEST_IMAGE is an image of a Docker engine that is there. */
  @Test
  @EnabledIfEnvironmentVariable(named = "PAYMENTS_SANDBOX_TEST_IMAGE", matches = ".+")
  void aContainerOfTestcontainers() {
    try (PaymentsSandboxContainer container = new PaymentsSandboxContainer(System.getenv("PAYMENTS_SANDBOX_TEST_IMAGE"))) {
      container.start();
      try (World world = container.sandbox().world(); Receiver receiver = world.listen()) {
        world.call("createCollection", Map.of("account_id", 63, "amount", 100, "phone_number", "0712345678", "provider", "m-pesa",
            "network_code", "63902", "external_reference", "order-1", "callback_url", receiver.url()));
        world.settle();
        assertEquals("success", receiver.await(1).get(0).body().get("status").asText());
      }
    }
  }
}
