package payments.sandbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** A receiver of callbacks in threads of the test process. It listens on a free port until it is closed, and keeps the callbacks. */
public final class Receiver implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool(Receiver::daemon);
  private final Supplier<List<String>> secrets;
  private final ToIntFunction<Received> handler;
  private final String url;
  private final List<Received> received = new ArrayList<>();
  private Throwable raised;

  Receiver(Supplier<List<String>> secrets, ToIntFunction<Received> handler, String bind, String host) {
    this.secrets = secrets;
    this.handler = handler;
    try {
      server = HttpServer.create(new InetSocketAddress(bind, 0), 0);
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    server.createContext("/", this::take);
    server.setExecutor(threads);
    server.start();
    url = "http://" + host + ":" + server.getAddress().getPort() + "/";
  }

  /** Returns the address to send as {@code callback_url}; any path below it works too. */
  public String url() {
    return url;
  }

  /** Returns all received callbacks in order of arrival, with valid and invalid signatures. */
  public synchronized List<Received> received() {
    return List.copyOf(received);
  }

  /**
   * Waits at most ten seconds until {@code count} callbacks with valid signatures arrived.
   *
   * @throws AssertionError with the callbacks that arrived, or the error of the handler
   */
  public List<Received> await(int count) {
    return await(count, Duration.ofSeconds(10));
  }

  public synchronized List<Received> await(int count, Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    while (raised == null && verified().size() < count) {
      long left = (end - System.nanoTime()) / 1_000_000;
      if (left <= 0) throw new AssertionError(missed(count, timeout));
      try {
        wait(left);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError(missed(count, timeout), interrupted);
      }
    }
    rethrow();
    return verified();
  }

  /** Stops listening. Throws the first error of the handler that was not thrown before, so that its assertions fail the test. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    rethrow();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] bytes = exchange.getRequestBody().readAllBytes();
      Map<String, String> headers = new HashMap<>();
      exchange.getRequestHeaders().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
      String problem = problem(headers, bytes);
      Received callback = new Received(
          exchange.getRequestMethod(), exchange.getRequestURI().toString(), headers, bytes, problem.isEmpty(), problem, 0);
      int status = problem.isEmpty() ? handled(callback) : 401;
      synchronized (this) {
        received.add(callback.with(status));
        notifyAll();
      }
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private int handled(Received callback) {
    try {
      return handler.applyAsInt(callback);
    } catch (RuntimeException | AssertionError error) {
      synchronized (this) {
        if (raised == null) raised = error;
      }
      return 500;
    }
  }

  /** Returns why the signature is invalid; empty if it is valid. */
  private String problem(Map<String, String> headers, byte[] bytes) {
    String problem = "";
    for (String secret : secrets.get()) {
      try {
        Signatures.verify(secret, headers, bytes);
        return "";
      } catch (Signatures.BadSignatureException bad) {
        if (problem.isEmpty()) problem = bad.getMessage();
      }
    }
    return problem;
  }

  private List<Received> verified() {
    return received.stream().filter(Received::verified).toList();
  }

  private String missed(int count, Duration timeout) {
    String refused = received.stream()
        .filter(each -> !each.verified())
        .map(each -> each.method() + " " + each.path() + " (" + each.problem() + ")")
        .collect(Collectors.joining(", "));
    return verified().size() + " of " + count + " callbacks came to " + url + " within " + timeout.toMillis() + " ms"
        + (refused.isEmpty() ? "" : "; refused were " + refused)
        + ". While the clock is frozen, world.settle() sends pending callbacks; world.story() lists the attempts";
  }

  private synchronized void rethrow() {
    Throwable told = raised;
    raised = null;
    if (told instanceof Error error) throw error;
    if (told instanceof RuntimeException exception) throw exception;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "payments-sandbox receiver");
    thread.setDaemon(true);
    return thread;
  }
}
