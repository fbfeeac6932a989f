package shop;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies callbacks of payments. */
public final class PaymentsReceiver {
  private static final int TOLERANCE_SECONDS = 300;
  private static final int LIMIT_BYTES = 65_536;

  private final String secret;
  private final Consumer<String> onPayment;
  // In production, keep the ids in your database, in the transaction that books the payment.
  private final Set<String> seen = new HashSet<>();

  /** @param onPayment called with the JSON text of each callback, once, however often it is delivered; again if it fails */
  public PaymentsReceiver(String secret, Consumer<String> onPayment) {
    this.secret = secret;
    this.onPayment = onPayment;
  }

  /**
   * Returns the status of the response.
   *
   * @param header returns a header of the request, or null
   */
  public int receive(UnaryOperator<String> header, byte[] body) {
    if (body.length > LIMIT_BYTES) return 413;
    if (!isGenuine(header, body)) return 401;
    String id = header.apply("webhook-id");
    synchronized (seen) {
      if (!seen.contains(id)) onPayment.accept(new String(body, StandardCharsets.UTF_8));
      // Afterwards: if onPayment fails, the next attempt must not count as a copy.
      seen.add(id);
    }
    return 204;
  }

  private boolean isGenuine(UnaryOperator<String> header, byte[] body) {
    String id = header.apply("webhook-id");
    String timestamp = header.apply("webhook-timestamp");
    String signatures = header.apply("webhook-signature");
    if (id == null || timestamp == null || signatures == null || !timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
    byte[] expected = ("v1," + sign(id + "." + timestamp + ".", body)).getBytes(StandardCharsets.UTF_8);
    for (String each : signatures.split(" ")) {
      if (MessageDigest.isEqual(each.getBytes(StandardCharsets.UTF_8), expected)) return true;
    }
    return false;
  }

  private String sign(String prefix, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      // The constructor throws an exception if the key is empty, because everyone can sign with an empty key.
      mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.replaceFirst("^whsec_", "")), "HmacSHA256"));
      mac.update(prefix.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
