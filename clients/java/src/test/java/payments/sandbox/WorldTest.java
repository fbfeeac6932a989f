package payments.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import payments.sandbox.junit.PaymentsSandbox;
import payments.sandbox.junit.PaymentsTest;

/** What a test of an integration does with a world, against a sandbox that runs. */
@PaymentsSandbox
class WorldTest {
  private static Json pay(World world, String reference, Map<String, ?> fields) {
    Map<String, Object> body = new HashMap<>(Map.of(
        "account_id", 63, "amount", 100, "phone_number", "0712345678", "provider", "m-pesa", "network_code", "63902"));
    body.put("external_reference", reference);
    body.put("callback_url", world.inboxUrl());
    body.putAll(fields);
    return world.call("createCollection", body);
  }

  private static Json pay(World world) {
    return pay(world, "order-1", Map.of());
  }

  private static String status(World world, String reference) {
    return world.transaction(reference).get("transaction", "status").asText();
  }

  private static String message(Class<? extends Throwable> type, org.junit.jupiter.api.function.Executable what) {
    return assertThrows(type, what).getMessage();
  }

  private static void assertHas(String part, String text) {
    assertTrue(text.contains(part), () -> "\"" + part + "\" is not in: " + text);
  }

  @PaymentsTest
  void anExpectationOfACallbackNamesTheFieldAndBothValues(World world) {
    Payment payment = world.pay("cancelled");
    world.settle();
    assertEquals("payer-cancels", payment.outcome());
    assertTrue(world.expectCallback(payment, "status", "failed").verified());
    world.expectCallback(payment, "amount", 1000);
    assertHas("status of the callback of " + payment.reference() + " is \"failed\", expected \"success\". The body is {",
        message(AssertionError.class, () -> world.expectCallback(payment, "status", "success")));
    assertHas("state of the callback of " + payment.reference() + " is missing",
        message(AssertionError.class, () -> world.expectCallback(payment, "state", "failed")));
  }

  @PaymentsTest
  void aReferenceIsRequired(World world) {
    assertEquals("reference must be the reference of a payment, got null",
        message(IllegalArgumentException.class, () -> world.callback((Payment) null)));
    for (String wrong : new String[] {null, ""}) {
      String expected = "reference must be the reference of a payment, got " + (wrong == null ? "null" : "an empty text");
      assertEquals(expected, message(IllegalArgumentException.class, () -> world.callback(wrong)));
      assertEquals(expected, message(IllegalArgumentException.class, () -> world.awaitCallback(wrong)));
      assertEquals(expected, message(IllegalArgumentException.class, () -> world.transaction(wrong)));
      assertEquals(expected, message(IllegalArgumentException.class, () -> world.timeline(wrong)));
    }
  }

  @Test
  void aPaymentSucceedsAndItsCallbackIsSigned(World world) {
    assertEquals("QUEUED", pay(world).get("status").asText());
    world.settle();
    Callback callback = world.awaitCallback("order-1");
    assertEquals("success", callback.body().get("status").asText());
    assertEquals(100, callback.body().get("amount").asInt());
    assertEquals("order-1", callback.externalReference());
    Signatures.verify(world.secret(), callback.headers(), callback.bytes());
  }

  @Test
  void aPaymentHasADefaultForEverything(World world) {
    Payment payment = world.pay();
    assertEquals(201, payment.status());
    assertEquals("QUEUED", payment.response().get("status").asText());
    assertEquals(payment.reference(), payment.request().get("external_reference").asText());
    world.settle();
    Callback callback = world.callback(payment);
    assertEquals("success", callback.body().get("status").asText());
    assertTrue(callback.verified());
    assertEquals(1, callback.deliveries());
    assertEquals(200, callback.status());
  }

  @Test
  void anOutcomeDecidesHowAPaymentEnds(World world) {
    Map<Payment, String> reasons = Map.of(
        world.pay(Payment.outcome("payer-cancels").reference("order-1").amount(50)), "cancelled",
        world.payOut(Payment.outcome("recipient-not-found")), "recipient_not_found",
        world.pay(Payment.outcome("insufficient_funds").country("NG").rail("bank")), "insufficient_funds");
    Payment twice = world.pay(Payment.outcome("duplicate-callback"));
    world.settle();
    reasons.forEach((payment, reason) -> {
      assertEquals("failed", world.callback(payment).body().get("status").asText());
      assertEquals(reason, world.transaction(payment.reference()).get("transaction", "reason").asText());
    });
    assertEquals("order-1", world.callback("order-1").externalReference());
    assertEquals(2, world.callback(twice).deliveries());
  }

  @Test
  void anUnknownOutcomeGetsTheNearest(World world) {
    SandboxException refused = assertThrows(SandboxException.class, () -> world.pay(Payment.outcome("payer-cancel")));
    assertEquals("resource_not_found", refused.code());
    assertHas("payer-cancels", refused.getMessage());
    assertHas("amount", message(SandboxException.class, () -> world.pay(Payment.options().fields(Map.of("amount", -1)))));
  }

  @Test
  void aScriptedPhoneNumberFailsThePayment(World world) {
    String number = world.numberFor("payer-cancels");
    assertEquals("0700000002", number);
    pay(world, "order-1", Map.of("phone_number", number));
    world.settle();
    assertEquals("failed", world.awaitCallback("order-1").body().get("status").asText());
    assertEquals("cancelled", world.transaction("order-1").get("transaction", "reason").asText());
    assertEquals("0770000002", world.numberFor("payer-cancels", "UG"));
    assertEquals("9900000031", world.accountFor("account-not-found"));
    assertEquals(world.numberFor("prompt-expires"), world.numberFor("timeout"));
    assertHas("no number means payer-cancel (did you mean payer-cancels?)",
        message(IllegalArgumentException.class, () -> world.numberFor("payer-cancel")));
    assertHas("no number of FR (", message(IllegalArgumentException.class, () -> world.numberFor("payer-cancels", "FR")));
  }

  @Test
  void theClockStandsStillUntilItIsMoved(World world) {
    Instant before = world.clock().now();
    assertEquals(before, world.clock().now());
    world.scenario("late-success");
    pay(world);
    world.clock().advance("1m");
    assertEquals("FAILED", status(world, "order-1"));
    assertTrue(world.clock().advance(Duration.ofHours(1)).get("job_count").asInt() > 0);
    assertEquals("SUCCESS", status(world, "order-1"));
    assertEquals(before.plus(Duration.ofMinutes(61)), world.clock().now());
    world.clock().advance(Instant.parse("2030-01-01T00:00:00Z"));
    assertEquals(Instant.parse("2030-01-01T00:00:00Z"), world.clock().now());
    world.clock().speed(3600);
    assertEquals(3600, world.clock().show().get("speed").asInt());
    world.clock().resume();
    world.clock().freeze();
    assertTrue(world.clock().show().get("frozen").asBoolean());
  }

  @Test
  void callbacksComeToAReceiverOfTheTest(World world) {
    List<String> took = new ArrayList<>();
    try (Receiver receiver = world.listen(callback -> {
      took.add(callback.body().get("status").asText());
      return 200;
    })) {
      pay(world, "order-1", Map.of("callback_url", receiver.url() + "callbacks?shop=1"));
      world.settle();
      Received callback = receiver.await(1).get(0);
      assertEquals("/callbacks?shop=1 true 200", callback.path() + " " + callback.verified() + " " + callback.responseStatus());
    }
    assertEquals(List.of("success"), took);
  }

  @Test
  void aForgedCallbackIsRefusedAndKeptFromTheHandler(World world) {
    List<Received> took = new ArrayList<>();
    try (Receiver receiver = world.listen(callback -> took.add(callback) ? 204 : 500)) {
      pay(world, "order-1", Map.of("callback_url", receiver.url()));
      world.settle();
      receiver.await(1);
      world.callbacks().fire("order-1", Map.of("fault", "tampered"));
      world.settle(Duration.ofSeconds(1));
      Received forged = receiver.received().get(receiver.received().size() - 1);
      assertEquals(401, forged.responseStatus());
      assertHas("no signature is of these bytes", forged.problem());
      assertEquals(1, took.size());
      assertHas("refused were POST / (no signature", message(AssertionError.class, () -> receiver.await(2, Duration.ZERO)));
    }
  }

  @Test
  void aReceiverThatAnswers500IsTriedAgain(World world) {
    Iterator<Integer> answers = List.of(500, 503, 200).iterator();
    try (Receiver receiver = world.listen(callback -> answers.next())) {
      pay(world, "order-1", Map.of("callback_url", receiver.url()));
      world.settle();
      assertEquals(List.of(500, 503, 200), receiver.received().stream().map(Received::responseStatus).toList());
    }
    assertEquals(3, world.awaitCallback("order-1").attempts().size());
  }

  @Test
  void whatTheHandlerThrowsIsThrownByTheReceiver(World world) {
    Receiver receiver = world.listen(callback -> {
      assertEquals("failed", callback.body().get("status").asText());
      return 204;
    });
    pay(world, "order-1", Map.of("callback_url", receiver.url()));
    world.settle(Duration.ofSeconds(5));
    assertThrows(AssertionError.class, receiver::close);
  }

  @Test
  void resendSendsTheSameBytesAgain(World world) {
    pay(world);
    world.settle();
    Callback callback = world.awaitCallback("order-1");
    world.callbacks().resend(callback);
    world.settle();
    List<Json> messages = world.inbox().messages();
    assertEquals(messages.get(0).get("body"), messages.get(1).get("body"));
    assertEquals(2, world.callbacks().get(callback.id()).attempts().size());
    assertEquals(1, world.callbacks().list().size());
  }

  @Test
  void aCallbackThatDoesNotComeSaysWhy(World world) {
    pay(world);
    SandboxException waited = assertThrows(SandboxException.class,
        () -> world.callbacks().await(Map.of("reference", "order-1"), Duration.ZERO));
    assertEquals("504 deadline_exceeded", waited.status() + " " + waited.code());
    assertEquals("settle", waited.body().get("scheduled", 0, "kind").asText());
  }

  @Test
  void theSecretIsRotatedWithAnOverlap(World world) {
    String older = world.secret();
    assertNotEquals(older, world.rotateSecret(Duration.ofHours(1)));
    pay(world);
    world.settle();
    Callback callback = world.awaitCallback("order-1");
    Signatures.verify(world.secret(), callback.headers(), callback.bytes());
    Signatures.verify(older, callback.headers(), callback.bytes());
  }

  @Test
  void theRecordAndWhy(World world) {
    pay(world, "order-1", Map.of("phone_number", "0700000002"));
    Json request = world.requests().list(Map.of("operation", "createCollection")).get(0);
    String id = request.get("id").asText();
    assertEquals(201, request.get("status").asInt());
    assertEquals(id, world.requests().find(Map.of("amount", Map.of("gte", 100))).get(0).get("id").asText());
    assertEquals(0, world.requests().count(Map.of("operation", "createWithdrawal")));
    assertEquals("payer-cancels", world.requests().explain(id).get("scenario").asText());
    assertTrue(world.requests().curl(id).startsWith("curl"));
    assertEquals(1, world.requests().await(Map.of("reference", "order-1"), Duration.ofSeconds(1)).size());
    assertHas("referenz", message(SandboxException.class, () -> world.requests().list(Map.of("referenz", "order-1"))));
    world.requests().clear();
    assertEquals(List.of(), world.requests().list());
  }

  @Test
  void aScenarioOfItsOwn(World world) {
    Map<String, Object> settle = Map.of("after", "3h", "status", "failed", "reason", "expired");
    world.scenarios().put("slow", Map.of("title", "Slow", "then", Map.of("settle", settle)));
    world.scenarios().next("slow");
    pay(world);
    pay(world, "order-2", Map.of());
    world.settle();
    assertEquals("expired", world.transaction("order-1").get("transaction", "reason").asText());
    assertEquals("SUCCESS", status(world, "order-2"));
    assertHas("did you mean expired", message(SandboxException.class,
        () -> world.scenarios().put("wrong", "title: Wrong\nthen: { settle: { status: failed, reason: expird } }\n")));
    assertEquals(List.of(), world.scenarios().check(Map.of("title", "Slow", "then", Map.of("settle", settle))));
    assertEquals(404, assertThrows(SandboxException.class, () -> world.scenario("payer-cancel")).status());
    world.scenarios().delete("slow");
    world.scenarios().reset();
  }

  @Test
  void namesAWorldThatEnded(World world) {
    Connection gone = new Connection(world.url(), "demo+w-gone", "gone");
    assertHas("the world of demo+w-gone has ended",
        message(SandboxException.class, () -> gone.accepted("GET", "/sandbox/clock", null, Map.of(), Map.of())));
  }

  @Test
  void snapshotRestoreAndReset(World world) {
    pay(world);
    long snapshot = world.snapshot();
    pay(world, "order-2", Map.of());
    assertEquals(2, world.transactions().size());
    world.restore(snapshot);
    assertEquals("order-1", world.transactions().get(0).get("external_reference").asText());
    world.reset();
    assertEquals(List.of(), world.transactions());
  }

  @Test
  void anyOperationByItsName(World world) {
    assertEquals(63, world.call("getTeam", Map.of("id", 63), null).get("team", "id").asInt());
    assertTrue(world.call("getStatement", Map.of("account_id", 63, "from", "2020-01-01"), null).has("lines"));
    assertHas("there is no operation createColection (did you mean createCollection?)",
        message(IllegalArgumentException.class, () -> world.call("createColection", null)));
    assertHas("getCallback (GET /sandbox/callbacks/{id}): idd is not known here (did you mean id?); id is missing",
        message(IllegalArgumentException.class, () -> world.call("getCallback", Map.of("idd", 1), null)));
    assertHas("amount", message(SandboxException.class, () -> pay(world, "order-1", Map.of("amount", "many"))));
    Answer answer = world.request("POST", "/api/v2/payments", Map.of("amount", -1));
    assertEquals(400, answer.status());
    assertEquals("rejected", world.requests().explain(answer.requestId()).get("decided_by").asText());
  }

  @Test
  void anAnswerThatIsLostIsAConnectionThatBroke(World world) {
    world.scenario("lost-response");
    assertThrows(UncheckedIOException.class, () -> pay(world));
    assertEquals("QUEUED", status(world, "order-1"));
  }

  @Test
  void money(World world) {
    BigDecimal before = world.balance("team:63:wallet");
    world.call("fundTeam", Map.of("id", 63), Map.of("wallet", "wallet", "amount", 500, "currency", "KES"));
    assertEquals(0, before.add(new BigDecimal(500)).compareTo(world.balance("team:63:wallet")));
  }

  @Test
  void anInboxThatFailsFirst(World world) {
    world.inbox().respond(500, 200);
    pay(world);
    world.settle();
    assertEquals(List.of(200, 500), world.inbox().messages().stream().map(each -> each.get("response_status").asInt()).toList());
    world.inbox().clear();
    assertEquals(List.of(), world.inbox().messages());
  }

  @Test
  @PaymentsSandbox(clock = "2027-01-01T00:00:00Z", settings = {"callback_shape=nested", "retry_speed=60"})
  void aWorldMadeAsTheAnnotationSays(World world) {
    assertEquals(Instant.parse("2027-01-01T00:00:00Z"), world.clock().now());
    world.configure(Map.of("settle_after", "500ms"));
    Json settings = world.call("getWorld", Map.of("world", "current"), null).get("settings");
    assertEquals("nested 500ms 60", settings.get("callback_shape").asText() + " " + settings.get("settle_after").asText() + " "
        + settings.get("retry_speed").asText());
  }

  @Test
  void worldsDoNotNoticeOneAnother(World world, Sandbox sandbox) {
    World gone;
    try (World other = sandbox.world()) {
      pay(other);
      assertEquals(List.of(), world.transactions());
      gone = other;
    }
    assertEquals(401, assertThrows(SandboxException.class, gone::transactions).status());
    assertFalse(gone.id().equals(world.id()));
  }
}
