package paymentssandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func expect[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func expectError(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
}

func reason(world *World, paid *Paid) any {
	return world.Transaction(paid.Reference)["transaction"].(Object)["reason"]
}

func TestAPaymentHasADefaultForEverything(t *testing.T) {
	world := NewWorld(t)
	payment := world.Pay(Payment{})
	expect(t, "status", payment.Status, 201)
	expect(t, "operation", payment.Operation, "createCollection")
	expect(t, "response", payment.Response["status"], any("QUEUED"))
	expect(t, "reference", payment.Request["external_reference"], any(payment.Reference))
	world.Settle()
	callback := world.Callback(payment)
	expect(t, "body", callback.Body["status"], any("success"))
	expect(t, "verified", callback.Verified, true)
	expect(t, "deliveries", callback.Deliveries, 1)
	expect(t, "the receiver's status", callback.Status, 200)
	explained := world.Call("explainRequest", Object{"id": payment.RequestID}, nil).(Object)
	expect(t, "decided by", explained["decided_by"], any("default"))
}

func TestAnOutcomeDecidesHowAPaymentEnds(t *testing.T) {
	world := NewWorld(t)
	paid := map[string]*Paid{
		"cancelled":           world.Pay(Payment{Outcome: "payer-cancels", Reference: "order-1", Amount: 50}),
		"recipient_not_found": world.PayOut(Payment{Outcome: "recipient-not-found"}),
		"card_declined":       world.Pay(Payment{Outcome: "card-declined"}),
		"insufficient_funds":  world.Pay(Payment{Outcome: "insufficient_funds", Country: "NG", Rail: "bank"}),
	}
	twice := world.Pay(Payment{Outcome: "duplicate-callback"})
	world.Settle()
	for want, payment := range paid {
		expect(t, want, world.Callback(payment).Body["status"], any("failed"))
		expect(t, want, reason(world, payment), any(want))
	}
	expect(t, "reference", world.CallbackOf("order-1").ExternalReference, "order-1")
	expect(t, "deliveries", world.Callback(twice).Deliveries, 2)
}

func TestARejectionHasAStatusAndAStableCode(t *testing.T) {
	world := NewWorld(t)
	for _, each := range []struct {
		payment Payment
		status  int
		code    string
		says    string
	}{
		{Payment{Outcome: "payer-cancel"}, 404, "resource_not_found", "payer-cancels"},
		{Payment{Fields: Object{"amount": -1}}, 400, "invalid_argument", "amount"},
	} {
		_, err := world.Client.Pay(each.payment)
		var rejected *Error
		if !errors.As(err, &rejected) {
			t.Fatalf("no *Error: %v", err)
		}
		expect(t, each.says, rejected.Status, each.status)
		expect(t, each.says, rejected.Code, each.code)
		expectError(t, err, each.says)
	}
	_, err := world.Client.Call("createColection", nil, nil)
	expectError(t, err, "there is no operation createColection (did you mean createCollection?)")
	_, err = world.Client.Call("getCallback", Object{"idd": 1}, nil)
	expectError(t, err, "getCallback (GET /sandbox/callbacks/{id}) has no parameter idd (did you mean id?)")
	_, err = world.Client.Call("getCallback", nil, nil)
	expectError(t, err, "the parameter id is missing")
}

// Every operation of the descriptions, as the tests of every client call it.
func TestEveryOperationGetsItsResponse(t *testing.T) {
	list, err := os.ReadFile("../calls.json")
	if err != nil {
		t.Skip("only in a checkout")
	}
	var calls []struct {
		Operation, Code string
		Parameters      Object
		Body            any
	}
	if err := json.Unmarshal(list, &calls); err != nil {
		t.Fatal(err)
	}
	world := NewWorld(t)
	for _, call := range calls {
		_, err := world.Client.Call(call.Operation, call.Parameters, call.Body)
		var rejected *Error
		if err != nil && !errors.As(err, &rejected) {
			t.Fatalf("%s: %v", call.Operation, err)
		}
		code := ""
		if rejected != nil {
			code = rejected.Code
		}
		expect(t, call.Operation, code, call.Code)
	}
}

func TestAReceiverGetsVerifiedCallbacksOnly(t *testing.T) {
	world := NewWorld(t)
	received := 0
	url := world.Listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { received++ }))
	paid := world.Pay(Payment{CallbackURL: url, Reference: "order-1"})
	world.Settle()
	expect(t, "received", received, 1)
	world.Call("fireCallback", nil, Object{"reference": paid.Reference, "fault": "tampered"})
	world.Advance(time.Second)
	expect(t, "received", received, 1)
}

func TestTheClockIsFrozenUntilItAdvances(t *testing.T) {
	world := NewWorld(t, Settings(Object{"settle_after": "1h"}), Clock(Object{"at": "2027-01-01T00:00:00Z"}))
	world.Scenario("wrong-pin")
	paid := world.Pay(Payment{})
	expect(t, "reason", reason(world, paid), any(nil))
	world.Advance(2 * time.Hour)
	if reason(world, paid) == nil {
		t.Error("the payment has not ended")
	}
}

func TestTheStoryOfAFailingTest(t *testing.T) {
	world := NewWorld(t)
	expectError(t, errors.New(world.Story()), "No request created a transaction")
	world.Pay(Payment{Outcome: "payer-cancels", Reference: "order-1"})
	world.Settle()
	expectError(t, errors.New(world.Story()), "(order-1): FAILED, cancelled, payer-cancels", "callback", "/dashboard as demo+")
}

func TestAnOlderSandboxIsNamedWithBothVersions(t *testing.T) {
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/__admin/version" {
			w.Write([]byte(`{"version":"0.0.9"}`))
			return
		}
		w.WriteHeader(404)
		json.NewEncoder(w).Encode(Object{"error_message": "path " + r.URL.Path + " was not found"})
	}))
	defer older.Close()
	_, err := NewClient(older.URL, "demo", "demo").Pay(Payment{})
	expectError(t, err, "the sandbox is 0.0.9 and this client is "+Version)
}

// The process of the tests is another one here, so that its end can be observed.
func TestTheSandboxEndsWithTheProcess(t *testing.T) {
	if os.Getenv("PAYMENTS_SANDBOX_COMMAND") == "" {
		t.Skip("PAYMENTS_SANDBOX_COMMAND is not set")
	}
	if os.Getenv("PRINT_URL") != "" {
		sandbox, err := Start()
		if err != nil {
			t.Fatal(err)
		}
		os.Stderr.WriteString("url=" + sandbox.URL + "\n")
		// Without any clean-up, as after a panic.
		os.Exit(0)
	}
	child := exec.Command(os.Args[0], "-test.run=^TestTheSandboxEndsWithTheProcess$")
	child.Env = append(os.Environ(), "PRINT_URL=1", "PAYMENTS_SANDBOX_COMMAND=sh -c '"+os.Getenv("PAYMENTS_SANDBOX_COMMAND")+" & wait'")
	printed, err := child.CombinedOutput()
	_, url, found := strings.Cut(strings.TrimSpace(string(printed)), "url=")
	if err != nil || !found {
		t.Fatalf("%v: %s", err, printed)
	}
	for deadline := time.Now().Add(10 * time.Second); isReady(url); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the sandbox at %s still runs", url)
		}
	}
}

func TestAWorldThatEnded(t *testing.T) {
	_, err := NewClient(NewWorld(t).URL, "demo+w-gone", "gone").Call("getClock", nil, nil)
	expectError(t, err, "the world of demo+w-gone has ended")
}

func TestNoSandbox(t *testing.T) {
	t.Setenv("PAYMENTS_SANDBOX_COMMAND", "")
	t.Setenv("PAYMENTS_SANDBOX_IMAGE", "")
	t.Setenv("PATH", t.TempDir())
	here, _ := os.Getwd()
	defer os.Chdir(here)
	os.Chdir(t.TempDir())
	t.Setenv("PAYMENTS_SANDBOX_URL", "localhost:8080")
	_, err := start()
	expectError(t, err, `must be an address such as http://127.0.0.1:8080, got "localhost:8080"`)
	t.Setenv("PAYMENTS_SANDBOX_URL", "")
	_, err = start()
	expectError(t, err, "there is no sandbox", "PAYMENTS_SANDBOX_COMMAND=")
	expect(t, "first test", remediesOnce(err), err.Error())
	expect(t, "second test", remediesOnce(err), "there is no sandbox: the first failure of this run lists the remedies")
	t.Setenv("PATH", "/usr/bin:/bin")
	t.Setenv("PAYMENTS_SANDBOX_COMMAND", `sh -c "echo no licence; exit 1"`)
	_, err = start()
	expectError(t, err, "started no sandbox", "no licence")
}

func TestSignatures(t *testing.T) {
	const secret = "whsec_cGF5bWVudHMtc2FuZGJveC1kZW1vLW5vdC1zZWNyZXQ="
	body, now := []byte(`{"status":"success"}`), time.Unix(1_800_000_000, 0)
	signed, _ := Sign(secret, "msg_1", now, body)
	expect(t, "valid", verifyAt(secret, signed, body, now.Add(Tolerance)), nil)
	older, _ := Sign("whsec_b2xkZXI=", "msg_1", now, body)
	both := signed.Clone()
	both.Set("webhook-signature", older.Get("webhook-signature")+" "+signed.Get("webhook-signature"))
	expect(t, "rotation", verifyAt(secret, both, body, now), nil)
	expectError(t, verifyAt(secret, signed, body, now.Add(301*time.Second)), "signed 301 s ago")
	expectError(t, verifyAt(secret, signed, body, now.Add(-301*time.Second)), "signed -301 s ago")
	expectError(t, verifyAt(secret, signed, []byte("{}"), now), "no signature is valid")
	expectError(t, verifyAt("whsec_b3RoZXI=", signed, body, now), "no signature is valid")
	expectError(t, verifyAt("", signed, body, now), "the secret must be")
	expectError(t, verifyAt(secret, http.Header{}, body, now), "is not signed")
	signed.Set("webhook-timestamp", "soon")
	expectError(t, verifyAt(secret, signed, body, now), `got "soon"`)
}

// failures records the failures of a test instead of failing.
type failures struct {
	testing.TB
	said []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, values ...any) {
	f.said = append(f.said, fmt.Sprintf(format, values...))
}

func TestExpectCallbackNamesTheFieldAndBothValues(t *testing.T) {
	world := NewWorld(t)
	payment := world.Pay(Payment{Outcome: "payer-cancels", Reference: "order-1", Amount: 250})
	world.Settle()
	recorded := &failures{TB: t}
	world.t = recorded
	world.ExpectCallback(payment, "status", "failed")
	world.ExpectCallback(payment, "amount", 250)
	expect(t, "failures", len(recorded.said), 0)
	world.ExpectCallback(payment, "status", "success")
	expect(t, "failures", len(recorded.said), 1)
	expectError(t, errors.New(recorded.said[0]), "status of the callback of order-1 is failed, expected success. The body is {")
}

func TestReferencesAreRequired(t *testing.T) {
	client := NewWorld(t).Client
	_, callback := client.Callback("")
	_, transaction := client.Transaction("")
	for argument, err := range map[string]error{"callback: reference": callback, "transaction: reference": transaction, "scenario: name": client.Scenario("")} {
		_, name, _ := strings.Cut(argument, ": ")
		if err == nil || !strings.HasPrefix(err.Error(), name+" must be ") || !strings.HasSuffix(err.Error(), "got an empty text") {
			t.Errorf("%s: %v", argument, err)
		}
	}
}
