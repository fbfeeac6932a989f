package receiver;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Takes callbacks with Spring. README.md says how it is run. */
@SpringBootApplication
public class Receiver {
  public static void main(String[] arguments) {
    SpringApplication.run(Receiver.class, arguments);
  }
}

/** Verifies signatures. */
@Component
class Signatures {
  /** Seconds that a callback may be old or ahead: an old one may have been recorded and sent again by somebody. */
  private static final long TOLERANCE = 300;

  private final List<SecretKeySpec> keys;

  Signatures(@Value("${webhook.secrets}") String secrets) {
    keys =
        Arrays.stream(secrets.trim().split(" +"))
            .map(secret -> Base64.getDecoder().decode(secret.replaceFirst("^whsec_", "")))
            .map(Signatures::keyOf)
            .toList();
  }

  private static SecretKeySpec keyOf(byte[] bytes) {
    // Whoever signs with an empty key would be believed.
    if (bytes.length < 24)
      throw new IllegalArgumentException("WEBHOOK_SECRETS must be one or several of whsec_…, with 24 bytes or more behind it");
    return new SecretKeySpec(bytes, "HmacSHA256");
  }

  /** Whether these very bytes were signed with one of the secrets a moment ago. */
  boolean areGenuine(String id, String timestamp, String signatures, byte[] body) {
    if (id == null || timestamp == null || signatures == null) return false;
    if (!timestamp.matches("[0-9]{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE) return false;
    byte[] before = (id + "." + timestamp + ".").getBytes(StandardCharsets.ISO_8859_1);
    return keys.stream()
        .map(key -> signed(key, before, body))
        .anyMatch(
            expected ->
                Arrays.stream(signatures.split(" "))
                    .map(sent -> sent.getBytes(StandardCharsets.ISO_8859_1))
                    .anyMatch(sent -> MessageDigest.isEqual(expected, sent)));
  }

  private static byte[] signed(SecretKeySpec key, byte[] before, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(key);
      mac.update(before);
      String own = Base64.getEncoder().encodeToString(mac.doFinal(body));
      return ("v1," + own).getBytes(StandardCharsets.ISO_8859_1);
    } catch (GeneralSecurityException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}

/** What a callback tells. */
record Result(String reference, String status, BigDecimal amount, String currency, boolean payin) {
  /** As decimals: 1e400 is no double, and decimalValue() throws for what is infinite. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /** Reads it in either of the service's shapes, whatever else it has; empty when that is no result. */
  static Optional<Result> of(byte[] body) {
    try {
      JsonNode told = JSON.readTree(body);
      Result result = told.path("response").isObject() ? nested(told) : flat(told);
      return Optional.of(result).filter(Result::isWhole);
    } catch (JacksonException noJson) {
      return Optional.empty();
    }
  }

  private static Result flat(JsonNode told) {
    return new Result(
        told.path("external_reference").stringValue(null),
        told.path("status").stringValue(null),
        told.path("amount").decimalValueOpt().orElse(null),
        told.path("currency").stringValue(null),
        "inbound_payment".equals(told.path("transaction_type").stringValue(null)));
  }

  /** The older shape: of Kenya alone, so without a currency, and a reversal is told as a failure. */
  private static Result nested(JsonNode all) {
    JsonNode told = all.path("response");
    return new Result(
        told.path("ExternalReference").stringValue(null),
        all.path("status").booleanValue(false) ? "success" : "failed",
        told.path("Amount").decimalValueOpt().orElse(null),
        "KES",
        told.path("TransactionID").isMissingNode());
  }

  private boolean isWhole() {
    return reference != null && status != null && amount != null;
  }
}

record Order(
    String reference, BigDecimal amount, String currency, String status, int fulfilled, BigDecimal paid) {

  /** The state after a result: nothing undoes a reversal, and only a reversal undoes what is paid. */
  String after(Result result) {
    if (!result.payin() || status.equals("reversed")) return status;
    return switch (result.status()) {
      case "reversed" -> "reversed";
      case "failed" -> status.equals("waiting") ? "failed" : status;
      // Rightly signed and not what was asked for: somebody has to look at it.
      case "success" -> status.equals("paid") || isPaidBy(result) ? "paid" : "review";
      default -> status;
    };
  }

  /** compareTo, for 1000 and 1E+3 are not equal as decimals. */
  private boolean isPaidBy(Result result) {
    return amount.compareTo(result.amount()) == 0 && currency.equals(result.currency());
  }
}

record Expected(String reference, BigDecimal amount, String currency) {}

@Component
class Orders {
  private final JdbcClient db;

  Orders(JdbcClient db) {
    this.db = db;
  }

  /** Takes a callback once; it is on the disk when this returns, for what is answered with 2xx is not sent again. */
  @Transactional
  public void take(String id, Result result) {
    // Of ten copies at one moment nine wait here.
    Optional<Order> found = find(result.reference(), "FOR UPDATE");
    // A payment that nobody asked for is no reason to have it sent again.
    if (found.isEmpty() || wasTaken(id)) return;
    db.sql("INSERT INTO taken VALUES (?)").param(id).update();
    Order order = found.get();
    String status = order.after(result);
    boolean paid = status.equals("paid");
    // Here goods are handed out, once.
    int handedOut = paid && !order.status().equals("paid") ? 1 : 0;
    db.sql("UPDATE orders SET status = ?, fulfilled = fulfilled + ?, paid = ? WHERE reference = ?")
        .params(status, handedOut, paid ? order.amount() : BigDecimal.ZERO, order.reference())
        .update();
  }

  private boolean wasTaken(String id) {
    return db.sql("SELECT COUNT(*) FROM taken WHERE event = ?").param(id).query(Integer.class).single() > 0;
  }

  Optional<Order> find(String reference, String lock) {
    return db.sql("SELECT * FROM orders WHERE reference = ? " + lock)
        .param(reference)
        .query(Order.class)
        .optional();
  }

  void expect(Expected order) {
    db.sql("INSERT INTO orders VALUES (?, ?, ?, 'waiting', 0, 0)")
        .params(order.reference(), order.amount(), order.currency())
        .update();
  }
}

@RestController
class Callbacks {
  /** Bytes. */
  private static final int LARGEST = 65_536;

  private final Signatures signatures;
  private final Orders orders;

  Callbacks(Signatures signatures, Orders orders) {
    this.signatures = signatures;
    this.orders = orders;
  }

  /** The bytes, read here: a parameter of text goes through a charset, one of an object through Jackson, and neither has a limit. */
  @PostMapping(path = "/callback", consumes = MediaType.APPLICATION_JSON_VALUE)
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void callback(HttpServletRequest request) throws IOException {
    byte[] body = request.getInputStream().readNBytes(LARGEST + 1);
    if (body.length > LARGEST) throw new ResponseStatusException(HttpStatus.PAYLOAD_TOO_LARGE);
    String id = request.getHeader("webhook-id");
    String timestamp = request.getHeader("webhook-timestamp");
    if (!signatures.areGenuine(id, timestamp, request.getHeader("webhook-signature"), body))
      throw new ResponseStatusException(HttpStatus.UNAUTHORIZED);
    orders.take(
        id, Result.of(body).orElseThrow(() -> new ResponseStatusException(HttpStatus.BAD_REQUEST)));
  }

  // For tests alone: they say what is expected, and ask what came of it. A shop has orders of its own.
  @PostMapping("/orders")
  @ResponseStatus(HttpStatus.CREATED)
  void expect(@RequestBody Expected order) {
    orders.expect(order);
  }

  @GetMapping("/orders/{reference}")
  Order show(@PathVariable String reference) {
    return orders
        .find(reference, "")
        .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND));
  }
}
