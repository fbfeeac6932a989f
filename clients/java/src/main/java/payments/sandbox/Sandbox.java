package payments.sandbox;

import java.util.HashMap;
import java.util.Map;

/** A running sandbox and its worlds. */
public final class Sandbox implements AutoCloseable {
  /** The version of this client, which is that of the sandbox it belongs to. */
  public static final String VERSION = "0.1.0";

  private final Connection connection;
  private final Operations operations;
  private final Reach reach;
  private final Runnable stop;

  /**
   * A running sandbox.
   *
   * @param inContainer whether it runs in a container on this machine
   * @param stop stops the sandbox when it is closed
   */
  public Sandbox(String url, String username, String password, boolean inContainer, Runnable stop) {
    connection = new Connection(url, username, password);
    operations = new Operations(connection);
    reach = new Reach(inContainer);
    this.stop = stop;
  }

  /** Connects to the sandbox at an address, with its default credentials. */
  public static Sandbox at(String url) {
    return new Sandbox(url, "demo", "demo", false, () -> {});
  }

  /**
   * Connects to {@code PAYMENTS_SANDBOX_URL}. Otherwise starts {@code PAYMENTS_SANDBOX_COMMAND}, or a container of {@code
   * PAYMENTS_SANDBOX_IMAGE}, or an installed {@code payments-sandbox} command, or a container of the image {@code payments-sandbox}.
   *
   * @throws NoSandboxException with the attempts
   */
  public static Sandbox start() {
    return start(Map.of());
  }

  /** @param settings environment variables of a started sandbox, such as {@code SANDBOX_SETTLE_AFTER} */
  public static Sandbox start(Map<String, String> settings) {
    return new Starter(System.getenv(), settings).start();
  }

  public String url() {
    return connection.url;
  }

  /** Creates an isolated world with a frozen clock. */
  public World world() {
    return world(Map.of());
  }

  /** @param how {@code clock}, {@code name}, {@code seed}, {@code populate}, {@code settings}, as in {@code POST /sandbox/worlds} */
  public World world(Map<String, ?> how) {
    Map<String, Object> asked = new HashMap<>(how);
    asked.putIfAbsent("clock", Map.of("speed", 0));
    Json made = connection.ask("POST", "/sandbox/worlds", asked);
    Json key = made.get("credentials");
    Connection theirs = new Connection(url(), key.get("username").asText(), key.get("password").asText());
    return new World(theirs, made, operations, reach);
  }

  /** Stops the sandbox if this process started it. */
  @Override
  public void close() {
    stop.run();
  }
}
