package payments.sandbox;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A payment that the service accepted.
 *
 * @param reference your own reference, under which every other call finds the payment
 * @param outcome the outcome that the payment asks for; {@code null} if it succeeds unless the world decides otherwise
 * @param request the request body
 * @param response the service's response body
 */
public record Payment(String reference, String outcome, String operation, Json request, Json response, int status, String requestId) {
  /** @param name such as {@code payer-cancels}, an alias such as {@code cancelled}, or a reason code */
  public static Options outcome(String name) {
    return new Options().with("outcome", name);
  }

  /** Options of a payment without an outcome. */
  public static Options options() {
    return new Options();
  }

  static Payment of(Json made, Answer answer) {
    Json outcome = made.get("outcome");
    return new Payment(made.get("reference").asText(), outcome.isNull() ? null : outcome.asText(), made.get("operation").asText(),
        made.get("body"), answer.value(), answer.status(), answer.requestId());
  }

  /** The options of {@link World#pay(Options)} and {@link World#payOut(Options)}; all have a default. */
  public static final class Options {
    final Map<String, Object> given = new LinkedHashMap<>();

    /** Sets any field of {@code POST /sandbox/payments/prepare}. */
    public Options with(String name, Object value) {
      given.put(name, value);
      return this;
    }

    /** In major units. */
    public Options amount(Number amount) {
      return with("amount", amount);
    }

    public Options phone(String phone) {
      return with("phone", phone);
    }

    public Options accountNumber(String accountNumber) {
      return with("account_number", accountNumber);
    }

    /** @param rail {@code momo}, {@code bank} or {@code card} */
    public Options rail(String rail) {
      return with("rail", rail);
    }

    /** @param country ISO 3166-1, such as {@code NG} */
    public Options country(String country) {
      return with("country", country);
    }

    public Options reference(String reference) {
      return with("reference", reference);
    }

    public Options callbackUrl(String callbackUrl) {
      return with("callback_url", callbackUrl);
    }

    public Options accountId(long accountId) {
      return with("account_id", accountId);
    }

    /** @param fields fields to add to the request body or to replace; objects are merged */
    public Options fields(Map<String, ?> fields) {
      return with("fields", fields);
    }
  }
}
