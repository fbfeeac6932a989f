package payments.sandbox;

import static payments.sandbox.Connection.part;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;

/** An isolated copy of the service behind one API key. {@link Sandbox#world()} creates worlds; closing deletes them. */
public final class World implements AutoCloseable {
  private static final String CURRENT = "/sandbox/worlds/current";

  private final Connection connection;
  private final Operations operations;
  private final Reach reach;
  private final String id;
  private final String inboxUrl;
  private final List<String> secrets = new CopyOnWriteArrayList<>();

  World(Connection connection, Json made, Operations operations, Reach reach) {
    this.connection = connection;
    this.operations = operations;
    this.reach = reach;
    id = made.get("world", "id").asText();
    inboxUrl = made.get("inbox_url").asText();
    secrets.add(made.get("signing_secret").asText());
  }

  // Configuration of the integration.

  /** The service's base URL. */
  public String url() {
    return connection.url;
  }

  public String username() {
    return connection.username;
  }

  public String password() {
    return connection.password;
  }

  /** The value of the header {@code Authorization}. */
  public String authorization() {
    return connection.authorization;
  }

  /** The secret that signs the callbacks, {@code whsec_…}. */
  public String secret() {
    return secrets.get(0);
  }

  /** A {@code callback_url} in the sandbox; {@link #inbox()} lists the callbacks it receives. */
  public String inboxUrl() {
    return inboxUrl;
  }

  public String id() {
    return id;
  }

  /** Returns the phone number, as dialled in Kenya, that triggers a scenario: {@code 0700000002} for {@code payer-cancels}. */
  public String numberFor(String scenario) {
    return numberFor(scenario, "KE");
  }

  /** @param country ISO 3166-1, such as {@code UG} */
  public String numberFor(String scenario, String country) {
    return TestNumbers.in(scenarios()).phone(scenario, country);
  }

  /** Returns the bank account that triggers a scenario, the same in every country and bank. */
  public String accountFor(String scenario) {
    return TestNumbers.in(scenarios()).account(scenario);
  }

  // Payments.

  /** Makes a payment of 1000 by mobile money in Kenya, with the inbox of this world as {@code callback_url}. */
  public Payment pay() {
    return pay(Payment.options());
  }

  /** @param outcome such as {@code payer-cancels}, an alias such as {@code cancelled}, or a reason code */
  public Payment pay(String outcome) {
    return pay(Payment.outcome(outcome));
  }

  /**
   * Makes a payment: {@code pay(Payment.outcome("payer-cancels").callbackUrl(url))}.
   *
   * @throws SandboxException if the service rejects the payment, or the outcome does not exist
   */
  public Payment pay(Payment.Options options) {
    Json made = connection.ask("POST", "/sandbox/payments/prepare", options.given);
    Map<String, String> headers = new HashMap<>();
    for (String name : made.get("headers").names()) headers.put(name, made.get("headers", name).asText());
    String method = made.get("method").asText();
    String path = made.get("path").asText();
    return Payment.of(made, connection.accepted(method, path, made.get("body").value(), Map.of(), headers));
  }

  /** Makes a payout of 500. */
  public Payment payOut() {
    return payOut(Payment.options());
  }

  public Payment payOut(Payment.Options options) {
    return pay(options.with("direction", "payout"));
  }

  /** Waits at most four seconds of real time for the newest delivered callback of a payment, and verifies its signature. */
  public Callback callback(Payment payment) {
    return callback(payment == null ? null : payment.reference());
  }

  /**
   * @param reference any identifier of the payment
   * @throws SandboxException 504 if it does not arrive, with the reason
   */
  public Callback callback(String reference) {
    List<Callback> found = callbacks().await(Map.of("reference", Words.required("reference", "the reference of a payment", reference)), Duration.ofSeconds(4));
    Callback newest = found.get(found.size() - 1);
    Map<String, ?> sent = Map.of("headers", newest.headers(), "body", newest.text(), "url", newest.url());
    return newest.verified(connection.ask("POST", "/sandbox/signatures/check", sent).get("valid").asBoolean());
  }

  /**
   * Waits for the callback of a payment as {@link #callback(Payment)} does, and checks a field of its body.
   *
   * @throws AssertionError if the field has another value, or the signature is invalid
   */
  public Callback expectCallback(Payment payment, String field, Object expected) {
    Callback callback = callback(payment);
    if (!callback.verified()) throw new AssertionError("The callback of " + payment.reference() + " has an invalid signature.");
    Json body = callback.body();
    String actual = body.has(field) ? Json.write(body.get(field).value()) : "missing";
    if (!actual.equals(Json.write(expected)))
      throw new AssertionError(field + " of the callback of " + payment.reference() + " is " + actual + ", expected "
          + Json.write(expected) + ". The body is " + callback.text());
    return callback;
  }

  // Control.

  public Clock clock() {
    return new Clock(connection);
  }

  public Scenarios scenarios() {
    return new Scenarios(connection);
  }

  /** Turns a scenario on for every matching request. */
  public void scenario(String name) {
    scenarios().on(name);
  }

  /** Runs all pending jobs, moving the clock to each: transactions settle, callbacks and retries are sent. Returns the jobs that ran. */
  public Json settle() {
    return connection.ask("POST", "/sandbox/settle");
  }

  /** Runs only the jobs that are due within a duration. */
  public Json settle(Duration within) {
    return connection.ask("POST", "/sandbox/settle", null, Map.of("within", Durations.text(within)));
  }

  public Callbacks callbacks() {
    return new Callbacks(connection);
  }

  /**
   * Waits at most ten seconds of real time for the newest delivered callback of a transaction.
   *
   * @param reference any identifier of the transaction, including your own reference
   * @throws SandboxException 504 if it does not arrive in time, with the received callbacks and the schedule
   */
  public Callback awaitCallback(String reference) {
    List<Callback> found = callbacks().await(reference, 1);
    return found.get(found.size() - 1);
  }

  public Inbox inbox() {
    return new Inbox(connection);
  }

  /** Starts a receiver in this process. It responds with 204 to callbacks with valid signatures and 401 to others. */
  public Receiver listen() {
    return listen(callback -> 204);
  }

  /** @param handler called with each callback with a valid signature, in its own thread; returns the response status */
  public Receiver listen(ToIntFunction<Received> handler) {
    return new Receiver(() -> secrets, handler, reach.bind(), reach.host());
  }

  /** Creates a new secret. During the overlap, on the world's clock, callbacks have signatures of both. */
  public String rotateSecret(Duration overlap) {
    Json made = connection.ask("POST", "/sandbox/signing-secret", Map.of("overlap", Durations.text(overlap)));
    secrets.add(0, made.get("secret").asText());
    return secret();
  }

  // Observation.

  public Requests requests() {
    return new Requests(connection);
  }

  /** Lists them, newest first. */
  public List<Json> transactions() {
    return transactions(Map.of());
  }

  /** @param filter {@code status}, {@code reference}, {@code reason} and the other filters of {@code GET /sandbox/transactions} */
  public List<Json> transactions(Map<String, ?> filter) {
    return connection.all("/sandbox/transactions", "transactions", filter);
  }

  /** Returns a transaction with its states, callbacks, pending work and scenario. */
  public Json transaction(String reference) {
    return connection.ask("GET", "/sandbox/transactions/" + part(Words.required("reference", "the reference of a payment", reference)));
  }

  /** Returns the timeline of a transaction and its pending work. */
  public Json timeline(String reference) {
    return connection.ask("GET", "/sandbox/transactions/" + part(Words.required("reference", "the reference of a payment", reference)) + "/timeline");
  }

  /** Returns the balance of a ledger account such as {@code team:63:wallet}, in major units. */
  public BigDecimal balance(String account) {
    Json ledger = connection.ask("GET", "/sandbox/ledger", null, Map.of("account", account, "limit", 1));
    return ledger.get("balances", 0, "balance").asNumber();
  }

  /** Returns the history of this world as text, which failing tests print. */
  public String story() {
    return new Story(connection).text();
  }

  // Snapshots and reset.

  /** Takes a snapshot. Returns the id to restore it with. */
  public long snapshot() {
    return connection.ask("POST", "/sandbox/snapshots", Map.of()).get("id").asLong();
  }

  public void restore(long snapshot) {
    connection.ask("POST", "/sandbox/snapshots/" + snapshot + "/restore");
  }

  /** Resets the world to its seed. */
  public void reset() {
    connection.ask("POST", "/sandbox/reset");
  }

  /** Changes settings of this world, such as {@code Map.of("settle_after", "500ms")}. */
  public void configure(Map<String, ?> settings) {
    connection.ask("PATCH", CURRENT, settings);
  }

  // Other operations.

  /** Calls any operation of the service or of the control API by name, with a body: {@code call("createCollection", Map.of(…))}. */
  public Json call(String operation, Object body) {
    return call(operation, Map.of(), body);
  }

  /**
   * Calls an operation with parameters: {@code call("getTeam", Map.of("id", 63), null)}.
   *
   * @param parameters path and query parameters
   * @param body maps and lists, sent as JSON; {@code null} for none
   * @throws IllegalArgumentException for unknown names, with the nearest valid one
   * @throws SandboxException for a status of 400 or higher
   */
  public Json call(String operation, Map<String, ?> parameters, Object body) {
    Operations.Place place = operations.place(operation);
    return connection.ask(place.method(), place.pathWith(parameters), body, place.queryWith(parameters));
  }

  /** Sends a request with this world's credentials. Returns the response whatever its status. */
  public Answer request(String method, String path, Object body) {
    return connection.send(method, path, body, Map.of(), Map.of());
  }

  /** Deletes the world; a deleted world is not an error. */
  @Override
  public void close() {
    try {
      connection.ask("DELETE", CURRENT);
    } catch (SandboxException refused) {
      if (refused.status() != 401 && refused.status() != 404) throw refused;
    }
  }
}
