package payments.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Signatures and JSON, without a sandbox. */
class SignaturesTest {
  private static final String SECRET = "whsec_cGF5bWVudHMtc2FuZGJveC1kZW1vLW5vdC1zZWNyZXQ=";
  private static final byte[] BODY = "{\"status\":\"success\"}".getBytes(StandardCharsets.UTF_8);
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
  private static final Map<String, String> HEADERS = Signatures.sign(SECRET, "msg_1", NOW, BODY);

  private static void assertRefused(String why, Map<String, String> headers, byte[] body, Instant now) {
    String said = assertThrows(Signatures.BadSignatureException.class, () -> Signatures.verify(SECRET, headers, body, now)).getMessage();
    assertTrue(said.contains(why), said);
  }

  private static Map<String, String> with(String name, String value) {
    Map<String, String> headers = new HashMap<>(HEADERS);
    headers.put(name, value);
    return headers;
  }

  @Test
  void whatWasSignedOfLateIsGenuine() {
    Signatures.verify(SECRET, HEADERS, BODY, NOW.plusSeconds(300));
    Signatures.verify(SECRET, with("webhook-signature", "v1,older " + HEADERS.get("webhook-signature")), BODY, NOW);
    Map<String, String> upper = new HashMap<>();
    HEADERS.forEach((name, value) -> upper.put(name.toUpperCase(), value));
    Signatures.verify(SECRET, upper, BODY, NOW);
  }

  @Test
  void anythingElseIsRefusedWithTheReason() {
    assertRefused("no header webhook-id, webhook-timestamp, webhook-signature", Map.of(), BODY, NOW);
    assertRefused("no signature is of these bytes", HEADERS, new byte[0], NOW);
    assertRefused("no signature is of these bytes", Signatures.sign("whsec_b3RoZXI=", "msg_1", NOW, BODY), BODY, NOW);
    assertRefused("signed 301 s ago: at most 300 s", HEADERS, BODY, NOW.plusSeconds(301));
    assertRefused("signed 600 s from now", HEADERS, BODY, NOW.minusSeconds(600));
    assertRefused("webhook-timestamp is soon", with("webhook-timestamp", "soon"), BODY, NOW);
    assertRefused("webhook-timestamp is", with("webhook-timestamp", "99999999999999999999"), BODY, NOW);
  }

  @Test
  void jsonIsReadExactlyAndWrittenBack() {
    String text = "{\"a\":[1,-0.10,12E+2,true,false,null],\"b\":\"\\\"\\\\\\u0001\u00e9\\u20ac\",\"c\":{}}";
    Json json = Json.parse(" " + text + "\n");
    assertEquals(new BigDecimal("-0.10"), json.get("a", 1).asNumber());
    assertEquals("\"\\\u0001\u00e9\u20ac", json.get("b").asText());
    assertTrue(json.get("a", 5).isNull());
    assertEquals(json, Json.parse(json.toString()));
    assertEquals("{\"list\":[1,\"x\"],\"when\":\"1970-01-01T00:00:00Z\"}",
        Json.write(new java.util.TreeMap<>(Map.of("list", List.of(1, "x"), "when", Instant.EPOCH))));
    assertTrue(assertThrows(NoSuchElementException.class, () -> json.get("aa")).getMessage().contains("there is no .aa (did you mean a?)"));
    assertTrue(assertThrows(IllegalStateException.class, () -> json.get("b").asInt()).getMessage().contains(".b is no number"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1,]", "{\"a\"}", "\"", "\"\\x\"", "tru", "1 2", "-", "{\"a\":1,}", "nul"})
  void whatIsNoJsonIsRefused(String text) {
    assertThrows(IllegalArgumentException.class, () -> Json.parse(text));
  }

  @Test
  void whatIsNestedTooDeepIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> Json.parse("[".repeat(100_000)));
  }

  @Test
  void rejectsAnEmptySecret() {
    for (String secret : new String[] {"", "whsec_"})
      assertThrows(IllegalArgumentException.class, () -> Signatures.verify(secret, HEADERS, BODY, NOW));
  }
}
