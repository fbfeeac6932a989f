package payments.sandbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The callbacks of a world. */
public final class Callbacks {
  private final Connection connection;

  Callbacks(Connection connection) {
    this.connection = connection;
  }

  /** Lists them, newest first. */
  public List<Callback> list() {
    return list(Map.of());
  }

  /** @param filter {@code reference}, {@code state}, {@code url}, {@code search}, {@code since} */
  public List<Callback> list(Map<String, ?> filter) {
    return connection.all("/sandbox/callbacks", "callbacks", filter).stream()
        .map(each -> get(each.get("id").asLong()))
        .toList();
  }

  /** Returns the current state of the callback. */
  public Callback get(long id) {
    return Callback.of(connection.ask("GET", "/sandbox/callbacks/" + id));
  }

  /**
   * Waits, in real time, until so many of a transaction were delivered; the oldest first.
   *
   * @throws SandboxException 504 if they do not arrive in time, with the received callbacks and the schedule
   */
  public List<Callback> await(String reference, int count) {
    return await(Map.of("reference", Words.required("reference", "the reference of a payment", reference), "count", count), Duration.ofSeconds(10));
  }

  /** @param filter {@code reference}, {@code count}, and {@code state}: {@code delivered}, {@code failed} or {@code final} */
  public List<Callback> await(Map<String, ?> filter, Duration timeout) {
    Map<String, Object> query = new HashMap<>(filter);
    query.put("timeout", Durations.text(timeout));
    Json answer = connection.ask("GET", "/sandbox/callbacks/wait", null, query);
    return answer.get("callbacks").items().stream().map(Callback::of).toList();
  }

  /** Resends the callback with the same bytes. */
  public void resend(Callback callback) {
    connection.ask("POST", "/sandbox/callbacks/" + callback.id() + "/resend");
  }

  /**
   * Sends another callback with the current state of a transaction.
   *
   * @param how {@code fault}, {@code set}, {@code copies}, {@code shape}, {@code url}, {@code after} and the other fields of {@code POST
   *     /sandbox/callbacks/fire}
   */
  public Callback fire(String reference, Map<String, ?> how) {
    Map<String, Object> body = new HashMap<>(how);
    body.put("reference", reference);
    return Callback.of(connection.ask("POST", "/sandbox/callbacks/fire", body));
  }
}
