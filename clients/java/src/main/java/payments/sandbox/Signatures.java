package payments.sandbox;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signatures of callbacks in the profile {@code standard} (Standard Webhooks). */
public final class Signatures {
  /** Maximum age of a callback. An older one may be a replay. */
  public static final Duration TOLERANCE = Duration.ofSeconds(300);

  private Signatures() {}

  /** The signature of a callback is invalid; the message contains the reason. */
  public static final class BadSignatureException extends RuntimeException {
    BadSignatureException(String message) {
      super(message);
    }
  }

  /**
   * Checks the signature and the age of a callback.
   *
   * @param secret {@code whsec_…}
   * @param headers in any case
   * @param body the received body, before JSON parsing
   * @throws BadSignatureException if the signature is invalid
   * @throws IllegalArgumentException if the secret is empty
   */
  public static void verify(String secret, Map<String, String> headers, byte[] body) {
    verify(secret, headers, body, Instant.now());
  }

  static void verify(String secret, Map<String, String> headers, byte[] body, Instant now) {
    Map<String, String> named = headers.entrySet().stream()
        .collect(Collectors.toMap(each -> each.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue, (one, other) -> one));
    String missing = Stream.of("webhook-id", "webhook-timestamp", "webhook-signature")
        .filter(name -> named.getOrDefault(name, "").isEmpty())
        .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) throw new BadSignatureException("the callback has no header " + missing + ": it is not signed");
    String timestamp = named.get("webhook-timestamp");
    if (!timestamp.matches("[0-9]{1,12}"))
      throw new BadSignatureException("webhook-timestamp is " + timestamp + ": it must be seconds, such as 1767225600");
    long age = now.getEpochSecond() - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE.toSeconds())
      throw new BadSignatureException(
          "it was signed " + Math.abs(age) + (age > 0 ? " s ago" : " s from now") + ": at most " + TOLERANCE.toSeconds() + " s are accepted");
    byte[] expected = signature(secret, named.get("webhook-id"), timestamp, body).getBytes(StandardCharsets.UTF_8);
    // During a rotation there are several signatures, separated by spaces.
    boolean one = Stream.of(named.get("webhook-signature").split(" "))
        .anyMatch(each -> MessageDigest.isEqual(each.getBytes(StandardCharsets.UTF_8), expected));
    if (!one)
      throw new BadSignatureException("no signature is of these bytes with this secret: compare the secret, and take the raw body");
  }

  /** Returns the signature headers of a callback. */
  public static Map<String, String> sign(String secret, String eventId, Instant at, byte[] body) {
    String timestamp = Long.toString(at.getEpochSecond());
    return Map.of(
        "webhook-id", eventId,
        "webhook-timestamp", timestamp,
        "webhook-signature", signature(secret, eventId, timestamp, body));
  }

  private static String signature(String secret, String eventId, String timestamp, byte[] body) {
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    // Anyone can sign with an empty key.
    if (key.length == 0) throw new IllegalArgumentException("the secret is \"" + secret + "\": it must be whsec_ and base64");
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update((eventId + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException absent) {
      throw new IllegalStateException(absent);
    }
  }
}
