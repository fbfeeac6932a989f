package payments.sandbox;

import static payments.sandbox.Connection.part;

import java.util.List;
import java.util.Map;

/** The scenarios of a world: shipped and uploaded ones. */
public final class Scenarios {
  private static final String ALL = "/sandbox/scenarios";

  private final Connection connection;

  Scenarios(Connection connection) {
    this.connection = connection;
  }

  /** Turns the scenario on for every matching request. */
  public void on(String name) {
    connection.ask("PATCH", at(name), Map.of("on", true));
  }

  public void off(String name) {
    connection.ask("PATCH", at(name), Map.of("on", false));
  }

  /** Queues the scenario for the next matching request. */
  public void next(String name) {
    next(name, 1);
  }

  public void next(String name, int times) {
    connection.ask("POST", at(name) + "/queue", Map.of("times", times));
  }

  /**
   * Uploads a scenario file to this world.
   *
   * @param file as maps: {@code Map.of("title", "Slow", "then", Map.of("settle", Map.of("after", "3h")))}
   * @throws SandboxException 400 with the nearest valid word
   */
  public Json put(String name, Map<String, ?> file) {
    return connection.ask("PUT", at(name), file).get("scenario");
  }

  /** Uploads a scenario file as YAML. */
  public Json put(String name, String yaml) {
    return connection.accepted("PUT", at(name), yaml, Map.of(), Map.of("Content-Type", "application/yaml")).json().get("scenario");
  }

  /** Returns the errors of a scenario file without uploading it. */
  public List<Json> check(Map<String, ?> file) {
    return connection.ask("POST", ALL + "/check", file).get("issues").items();
  }

  public Json get(String name) {
    return connection.ask("GET", at(name)).get("scenario");
  }

  public List<Json> list() {
    return connection.ask("GET", ALL).get("scenarios").items();
  }

  /** Deletes an uploaded scenario. A shipped one of the same name takes effect again. */
  public void delete(String name) {
    connection.ask("DELETE", at(name));
  }

  /** Turns all scenarios off and clears queues, steps and uploaded files. */
  public void reset() {
    connection.ask("DELETE", ALL);
  }

  /** Returns the test numbers: endings of phone numbers and accounts that select a scenario. */
  public List<Json> testNumbers() {
    return connection.ask("GET", "/sandbox/test-numbers").get("test_numbers").items();
  }

  private static String at(String name) {
    return ALL + "/" + part(name);
  }
}
