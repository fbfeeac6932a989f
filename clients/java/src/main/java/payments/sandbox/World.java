package payments.sandbox;

import static payments.sandbox.Connection.accepted;
import static payments.sandbox.Connection.part;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntFunction;

/** A world: a whole service of its own, behind one API key. Worlds come from {@link Sandbox#world()}, and end when they are closed. */
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

  // What the integration under test is given.

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

  /** What its callbacks are signed with, {@code whsec_…}. */
  public String secret() {
    return secrets.get(0);
  }

  /** A {@code callback_url} within the sandbox; what comes there is in {@link #inbox()}. */
  public String inboxUrl() {
    return inboxUrl;
  }

  public String id() {
    return id;
  }

  /** The phone number, as it is dialled in Kenya, that makes this happen: {@code 0700000002} for {@code payer-cancels}. */
  public String numberFor(String scenario) {
    return numberFor(scenario, "KE");
  }

  /** @param country ISO 3166-1, such as {@code UG} */
  public String numberFor(String scenario, String country) {
    return new TestNumbers(scenarios().testNumbers()).phone(scenario, country);
  }

  /** The bank account that makes this happen, the same in every country and at every bank. */
  public String accountFor(String scenario) {
    return new TestNumbers(scenarios().testNumbers()).account(scenario);
  }

  // What happens.

  public Clock clock() {
    return new Clock(connection);
  }

  public Scenarios scenarios() {
    return new Scenarios(connection);
  }

  /** Switches a scenario on: it happens to every request that it fits. */
  public void scenario(String name) {
    scenarios().on(name);
  }

  /** Runs all that is owed, moving the clock: transactions settle, callbacks and their retries leave. Answers what ran. */
  public Json settle() {
    return connection.ask("POST", "/sandbox/settle");
  }

  /** The same of what falls due within a duration from now. */
  public Json settle(Duration within) {
    return connection.ask("POST", "/sandbox/settle", null, Map.of("within", Durations.text(within)));
  }

  public Callbacks callbacks() {
    return new Callbacks(connection);
  }

  /**
   * The newest callback of a transaction that was delivered; waits for it ten seconds of real time at most.
   *
   * @param reference any identifier of it, your own included
   * @throws SandboxException 504 when it does not come; it says what came instead, and what is scheduled when
   */
  public Callback awaitCallback(String reference) {
    List<Callback> found = callbacks().await(reference, 1);
    return found.get(found.size() - 1);
  }

  public Inbox inbox() {
    return new Inbox(connection);
  }

  /** A receiver in this process, which answers 204 to callbacks whose signature holds, and 401 to others. */
  public Receiver listen() {
    return listen(callback -> 204);
  }

  /** @param handler takes each callback whose signature holds, in a thread of its own, and says what to answer */
  public Receiver listen(ToIntFunction<Received> handler) {
    return new Receiver(() -> secrets, handler, reach.bind(), reach.host());
  }

  /** Makes a new secret; for the overlap, on the world's clock, callbacks are signed with both. */
  public String rotateSecret(Duration overlap) {
    Json made = connection.ask("POST", "/sandbox/signing-secret", Map.of("overlap", Durations.text(overlap)));
    secrets.add(0, made.get("secret").asText());
    return secret();
  }

  // What happened.

  public Requests requests() {
    return new Requests(connection);
  }

  /** The newest first. */
  public List<Json> transactions() {
    return transactions(Map.of());
  }

  /** @param filter {@code status}, {@code reference}, {@code reason}, and what else {@code GET /sandbox/transactions} takes */
  public List<Json> transactions(Map<String, ?> filter) {
    return connection.all("/sandbox/transactions", "transactions", filter);
  }

  /** One with its states, callbacks, what is owed for it, and what decided it. */
  public Json transaction(String reference) {
    return connection.ask("GET", "/sandbox/transactions/" + part(reference));
  }

  /** All that happened to a transaction, in order, and what is planned. */
  public Json timeline(String reference) {
    return connection.ask("GET", "/sandbox/transactions/" + part(reference) + "/timeline");
  }

  /** Of an account of the ledger, such as {@code team:63:wallet}; in units of its currency. */
  public BigDecimal balance(String account) {
    Json ledger = connection.ask("GET", "/sandbox/ledger", null, Map.of("account", account, "limit", 1));
    return ledger.get("balances", 0, "balance").asNumber();
  }

  /** What happened in this world, as a text to read: what a test that failed shows. */
  public String story() {
    return new Story(connection).text();
  }

  // Back to where it was.

  /** Keeps the world as it is; the number to restore it by. */
  public long snapshot() {
    return connection.ask("POST", "/sandbox/snapshots", Map.of()).get("id").asLong();
  }

  public void restore(long snapshot) {
    connection.ask("POST", "/sandbox/snapshots/" + snapshot + "/restore");
  }

  /** Back to how it was made. */
  public void reset() {
    connection.ask("POST", "/sandbox/reset");
  }

  /** Changes settings of this world, such as {@code Map.of("settle_after", "500ms")}. */
  public void configure(Map<String, ?> settings) {
    connection.ask("PATCH", CURRENT, settings);
  }

  // Everything else.

  /** Any operation of the service or of the sandbox's own API by its name, with a body: {@code call("createCollection", Map.of(…))}. */
  public Json call(String operation, Object body) {
    return call(operation, Map.of(), body);
  }

  /**
   * The same with parameters: {@code call("getTeam", Map.of("id", 63), null)}.
   *
   * @param parameters those of the path and the query
   * @param body maps and lists, sent as JSON; {@code null} for none
   * @throws IllegalArgumentException for names that it does not know, with the nearest
   * @throws SandboxException for a status of 400 and above
   */
  public Json call(String operation, Map<String, ?> parameters, Object body) {
    Operations.Place place = operations.place(operation);
    return connection.ask(place.method(), place.pathWith(parameters), body, place.queryWith(parameters));
  }

  /** A request with this world's credentials; the answer as it is, whatever its status. */
  public Answer request(String method, String path, Object body) {
    return connection.send(method, path, body, Map.of(), Map.of());
  }

  /** Ends the world. One that is gone already is as it should be. */
  @Override
  public void close() {
    Answer answer = connection.send("DELETE", CURRENT, null, Map.of(), Map.of());
    if (answer.status() != 401 && answer.status() != 404) accepted("DELETE", CURRENT, answer);
  }
}
