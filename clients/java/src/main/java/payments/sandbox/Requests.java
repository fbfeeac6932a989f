package payments.sandbox;

import static payments.sandbox.Connection.accepted;
import static payments.sandbox.Connection.part;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The record of what the integration asked the service; calls of {@code /sandbox} are not on it. */
public final class Requests {
  private static final String ALL = "/sandbox/requests";

  private final Connection connection;

  Requests(Connection connection) {
    this.connection = connection;
  }

  /** The newest first. */
  public List<Json> list() {
    return list(Map.of());
  }

  /** @param filter {@code operation}, {@code method}, {@code path}, {@code status}, {@code reference}, {@code search} */
  public List<Json> list(Map<String, ?> filter) {
    return connection.all(ALL, "requests", filter);
  }

  /** Those that meet all conditions: {@code Map.of("operation", "createCollection", "amount", Map.of("gte", 100))}. */
  public List<Json> find(Map<String, ?> conditions) {
    return connection.ask("POST", ALL + "/find", conditions).get("requests").items();
  }

  /** How many do. */
  public int count(Map<String, ?> conditions) {
    return connection.ask("POST", ALL + "/count", conditions).get("count").asInt();
  }

  /**
   * Waits, in real time, until {@code count} of them have come; those before count, too.
   *
   * @throws SandboxException 504 when they do not; it says how the nearest differs
   */
  public List<Json> await(Map<String, ?> filter, Duration timeout) {
    Map<String, Object> query = new HashMap<>(filter);
    query.put("timeout", Durations.text(timeout));
    return connection.ask("GET", ALL + "/wait", null, query).get("requests").items();
  }

  /** What decided it: every rule that was tried, and what made it miss. */
  public Json explain(String requestId) {
    return connection.ask("GET", ALL + "/" + part(requestId) + "/explain");
  }

  /** The same request as a curl command. */
  public String curl(String requestId) {
    String path = ALL + "/" + part(requestId) + "/curl";
    return accepted("GET", path, connection.send("GET", path, null, Map.of(), Map.of())).text();
  }

  public void clear() {
    connection.ask("DELETE", ALL);
  }
}
