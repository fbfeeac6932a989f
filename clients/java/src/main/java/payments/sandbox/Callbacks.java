package payments.sandbox;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a world sent to {@code callback_url}. */
public final class Callbacks {
  private final Connection connection;

  Callbacks(Connection connection) {
    this.connection = connection;
  }

  /** The newest first. */
  public List<Callback> list() {
    return list(Map.of());
  }

  /** @param filter {@code reference}, {@code state}, {@code url}, {@code since} */
  public List<Callback> list(Map<String, ?> filter) {
    return connection.all("/sandbox/callbacks", "callbacks", filter).stream()
        .map(each -> get(each.get("id").asLong()))
        .toList();
  }

  /** As it stands now. */
  public Callback get(long id) {
    return Callback.of(connection.ask("GET", "/sandbox/callbacks/" + id));
  }

  /**
   * Waits, in real time, until so many of a transaction were delivered; the oldest first.
   *
   * @throws SandboxException 504 when they do not come; it says what came and what is scheduled
   */
  public List<Callback> await(String reference, int count) {
    return await(Map.of("reference", reference, "count", count), Duration.ofSeconds(10));
  }

  /** @param filter {@code reference}, {@code count}, and {@code state}: {@code delivered}, {@code failed} or {@code over} */
  public List<Callback> await(Map<String, ?> filter, Duration timeout) {
    Map<String, Object> query = new HashMap<>(filter);
    query.put("timeout", Durations.text(timeout));
    Json answer = connection.ask("GET", "/sandbox/callbacks/wait", null, query);
    return answer.get("callbacks").items().stream().map(Callback::of).toList();
  }

  /** Owes it once more, the same bytes. */
  public void resend(Callback callback) {
    connection.ask("POST", "/sandbox/callbacks/" + callback.id() + "/resend");
  }

  /**
   * Owes another callback of a transaction as it stands.
   *
   * @param how {@code fault}, {@code set}, {@code copies}, {@code shape}, {@code url}, {@code after} and what else {@code POST
   *     /sandbox/callbacks/fire} takes
   */
  public Callback fire(String reference, Map<String, ?> how) {
    Map<String, Object> body = new HashMap<>(how);
    body.put("reference", reference);
    return Callback.of(connection.ask("POST", "/sandbox/callbacks/fire", body));
  }
}
