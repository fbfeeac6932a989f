package payments.sandbox;

import static payments.sandbox.Connection.part;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests of the integration to the service. Calls of {@code /sandbox} are not included. */
public final class Requests {
  private static final String ALL = "/sandbox/requests";

  private final Connection connection;

  Requests(Connection connection) {
    this.connection = connection;
  }

  /** Lists them, newest first. */
  public List<Json> list() {
    return list(Map.of());
  }

  /** @param filter {@code operation}, {@code method}, {@code path}, {@code status}, {@code reference}, {@code search} */
  public List<Json> list(Map<String, ?> filter) {
    return connection.all(ALL, "requests", filter);
  }

  /** Returns the requests that meet all conditions: {@code Map.of("operation", "createCollection", "amount", Map.of("gte", 100))}. */
  public List<Json> find(Map<String, ?> conditions) {
    return connection.ask("POST", ALL + "/find", conditions).get("requests").items();
  }

  /** Returns the number of requests that meet all conditions. */
  public int count(Map<String, ?> conditions) {
    return connection.ask("POST", ALL + "/count", conditions).get("count").asInt();
  }

  /**
   * Waits in real time until {@code count} requests match, including earlier ones.
   *
   * @throws SandboxException 504 if they do not arrive in time, with the differences of the nearest request
   */
  public List<Json> await(Map<String, ?> filter, Duration timeout) {
    Map<String, Object> query = new HashMap<>(filter);
    query.put("timeout", Durations.text(timeout));
    return connection.ask("GET", ALL + "/wait", null, query).get("requests").items();
  }

  /** Explains the outcome: all evaluated rules, and why each did not match. */
  public Json explain(String requestId) {
    return connection.ask("GET", ALL + "/" + part(requestId) + "/explain");
  }

  /** Returns a curl command that repeats the request. */
  public String curl(String requestId) {
    String path = ALL + "/" + part(requestId) + "/curl";
    return connection.ask("GET", path).asText();
  }

  public void clear() {
    connection.ask("DELETE", ALL);
  }
}
