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
 * @param verified whether the signature is valid; {@code null} unless {@link World#callback} verified it
 */
public record Callback(
    long id,
    String reference,
    String externalReference,
    String url,
    String state,
    String text,
    Map<String, String> headers,
    List<Json> attempts,
    Boolean verified) {
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
        attempts,
        null);
  }

  Callback verified(boolean isValid) {
    return new Callback(id, reference, externalReference, url, state, text, headers, attempts, isValid);
  }

  /** The receiver's last response status; 0 if it did not respond. */
  public int status() {
    return attempts.isEmpty() ? 0 : status(attempts.get(attempts.size() - 1));
  }

  /** The number of attempts that the receiver accepted: 2 for {@code duplicate-callback}. */
  public long deliveries() {
    return attempts.stream().filter(each -> status(each) >= 200 && status(each) < 300).count();
  }

  private static int status(Json attempt) {
    return attempt.get("response").isNull() ? 0 : attempt.get("response", "status").asInt();
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
