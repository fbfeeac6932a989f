package payments.sandbox;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A callback of the world with its attempts.
 *
 * @param reference the service's reference of its transaction
 * @param externalReference your own reference; empty if none was sent
 * @param state {@code pending}, {@code delivered} or {@code failed}
 * @param text the bytes that were signed, as text
 * @param headers the headers of the last attempt, names in lower case; none before the first
 * @param attempts as in {@code GET /sandbox/callbacks/{id}}: time, headers, response, error and advice
 */
public record Callback(
    long id,
    String reference,
    String externalReference,
    String url,
    String state,
    String text,
    Map<String, String> headers,
    List<Json> attempts) {
  static Callback of(Json details) {
    Json told = details.get("callback");
    List<Json> attempts = details.get("attempts").items();
    Map<String, String> headers = new HashMap<>();
    if (!attempts.isEmpty()) {
      Json sent = attempts.get(attempts.size() - 1).get("request", "headers");
      for (String name : sent.names()) headers.put(name.toLowerCase(Locale.ROOT), sent.get(name).asText());
    }
    return new Callback(
        told.get("id").asLong(),
        told.get("transaction").asText(),
        told.get("external_reference").asText(),
        told.get("url").asText(),
        told.get("state").asText(),
        details.get("body").asText(),
        headers,
        attempts);
  }

  /** The body as JSON. */
  public Json body() {
    return Json.parse(text);
  }

  /** The bytes that were signed. */
  public byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
