package paymentssandbox

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// World is an isolated world of a test. Its methods fail the test if the sandbox rejects a request; those of Client return the error.
type World struct {
	*Client
	// Secret signs the callbacks, whsec_….
	Secret string
	// InboxURL is a callback_url in the sandbox, which Call("getInbox", …) reads.
	InboxURL    string
	ID          string
	t           testing.TB
	inContainer bool
}

// Option changes the world that NewWorld creates, such as Settings(Object{"settle_after": "500ms"}).
type Option func(Object)

// Settings are settings of the world.
func Settings(settings Object) Option { return func(body Object) { body["settings"] = settings } }

// Clock is how the clock of the world starts: Object{"speed": 1} follows real time, Object{"at": "2027-01-01T00:00:00Z"} is frozen.
func Clock(clock Object) Option { return func(body Object) { body["clock"] = clock } }

var explained atomic.Bool

// remediesOnce returns the error for the first test, and one line for the others.
func remediesOnce(err error) string {
	if explained.Swap(true) {
		return "there is no sandbox: the first failure of this run lists the remedies"
	}
	return err.Error()
}

// NewWorld creates a world with a frozen clock, which is deleted after the test. A failing test prints what happened in its world.
func NewWorld(t testing.TB, options ...Option) *World {
	t.Helper()
	sandbox, err := Start()
	if err != nil {
		t.Fatal(remediesOnce(err))
	}
	name := t.Name()
	body := Object{"clock": Object{"speed": 0}, "name": name[max(0, len(name)-64):]}
	for _, option := range options {
		option(body)
	}
	var made struct {
		World         struct{ ID string }
		Credentials   struct{ Username, Password string }
		SigningSecret string `json:"signing_secret"`
		InboxURL      string `json:"inbox_url"`
	}
	if _, err := sandbox.ask("POST", "/sandbox/worlds", body, nil, &made); err != nil {
		t.Fatal(err)
	}
	client := *sandbox.Client
	client.Username, client.Password = made.Credentials.Username, made.Credentials.Password
	world := &World{&client, made.SigningSecret, made.InboxURL, made.World.ID, t, sandbox.inContainer}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(world.Story())
		} else {
			client.ask("DELETE", "/sandbox/worlds/current", nil, nil, nil)
		}
	})
	return world
}

func must[T any](w *World, value T, err error) T {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return value
}

// Pay makes a payment.
func (w *World) Pay(payment Payment) *Paid {
	w.t.Helper()
	paid, err := w.Client.Pay(payment)
	return must(w, paid, err)
}

// PayOut makes a payout.
func (w *World) PayOut(payment Payment) *Paid {
	w.t.Helper()
	paid, err := w.Client.PayOut(payment)
	return must(w, paid, err)
}

// Settle runs all pending jobs and moves the clock to each: transactions settle, callbacks and retries are sent.
func (w *World) Settle() Object {
	w.t.Helper()
	ran, err := w.Client.Settle()
	return must(w, ran, err)
}

// Callback waits at most 4 s of real time for the newest delivered callback of a payment, and verifies its signature.
func (w *World) Callback(payment *Paid) *Callback {
	w.t.Helper()
	if payment == nil {
		w.t.Fatal("Callback takes a payment, got nil.")
	}
	return w.CallbackOf(payment.Reference)
}

// CallbackOf is Callback with any identifier of the payment, such as your own reference.
func (w *World) CallbackOf(reference string) *Callback {
	w.t.Helper()
	callback, err := w.Client.Callback(reference)
	return must(w, callback, err)
}

// ExpectCallback waits for the callback of a payment as Callback does. It fails the test if a field of the body has another value, or
// the signature is invalid.
func (w *World) ExpectCallback(payment *Paid, field string, expected any) *Callback {
	w.t.Helper()
	callback := w.Callback(payment)
	if !callback.Verified {
		w.t.Errorf("The callback of %s has an invalid signature.", payment.Reference)
	}
	if actual := callback.Body[field]; fmt.Sprint(actual) != fmt.Sprint(expected) {
		w.t.Errorf("%s of the callback of %s is %v, expected %v. The body is %s", field, payment.Reference, actual, expected, callback.Raw)
	}
	return callback
}

// Advance moves the clock forward. It returns the jobs that ran.
func (w *World) Advance(by time.Duration) Object {
	w.t.Helper()
	ran, err := w.Client.Advance(by)
	return must(w, ran, err)
}

// Scenario turns an outcome on for every matching request, also those of your application.
func (w *World) Scenario(name string) {
	w.t.Helper()
	must(w, 0, w.Client.Scenario(name))
}

// Transaction returns a transaction with its states, callbacks and pending work.
func (w *World) Transaction(reference string) Object {
	w.t.Helper()
	found, err := w.Client.Transaction(reference)
	return must(w, found, err)
}

// Call calls any operation by its name: Call("getTeam", Object{"id": 63}, nil).
func (w *World) Call(operation string, parameters Object, body any) any {
	w.t.Helper()
	result, err := w.Client.Call(operation, parameters, body)
	return must(w, result, err)
}

// Listen starts a receiver that passes callbacks with valid signatures to the handler, until the test ends. It returns the address
// to send as callback_url. PAYMENTS_SANDBOX_CALLBACK_HOST is the host name of this machine for the sandbox.
func (w *World) Listen(handler http.Handler) string {
	w.t.Helper()
	if handler == nil {
		w.t.Fatal("Listen takes a handler, got nil.")
	}
	host, bind := os.Getenv("PAYMENTS_SANDBOX_CALLBACK_HOST"), "127.0.0.1"
	if host != "" || w.inContainer {
		bind = "0.0.0.0"
	}
	listener, err := net.Listen("tcp", bind+":0")
	server := httptest.NewUnstartedServer(Verified(w.Secret, handler))
	server.Listener.Close()
	server.Listener = must(w, listener, err)
	server.Start()
	w.t.Cleanup(server.Close)
	return fmt.Sprintf("http://%s:%d/", cmp.Or(host, "127.0.0.1"), listener.Addr().(*net.TCPAddr).Port)
}

// Story returns the history of the world as text.
func (w *World) Story() string {
	var told strings.Builder
	fmt.Fprintf(&told, "payments sandbox, world %s\n", w.ID)
	var list struct {
		Transactions []struct {
			Reference, Status string
			ExternalReference string `json:"external_reference"`
			Reason, Scenario  *string
		}
	}
	if _, err := w.ask("GET", "/sandbox/transactions?limit=5", nil, nil, &list); err != nil {
		return told.String() + err.Error()
	}
	if len(list.Transactions) == 0 {
		told.WriteString("No request created a transaction in this world: does your application use its address and credentials?\n")
	}
	for _, each := range list.Transactions {
		fmt.Fprintf(&told, "%s (%s): %s", each.Reference, each.ExternalReference, each.Status)
		for _, word := range []*string{each.Reason, each.Scenario} {
			if word != nil && *word != "" {
				told.WriteString(", " + *word)
			}
		}
		told.WriteString("\n")
		var timeline struct {
			Events []struct{ At, Kind, Summary string }
		}
		w.ask("GET", "/sandbox/transactions/"+each.Reference+"/timeline", nil, nil, &timeline)
		for _, event := range timeline.Events {
			fmt.Fprintf(&told, "  %s  %-9s %s\n", event.At[11:23], event.Kind, event.Summary)
		}
	}
	fmt.Fprintf(&told, "Open %s/dashboard as %s / %s while the sandbox runs.", w.URL, w.Username, w.Password)
	return told.String()
}
