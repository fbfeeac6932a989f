/** What `init` writes for Go. */
import type { Language } from './init-files.ts'

const RECEIVER_GO = `// Package payments receives callbacks of payments.
package payments

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance = 5 * time.Minute
	limit     = 65_536
)

// Payment is the part of a callback that a shop books.
type Payment struct {
	Reference string  \`json:"external_reference"\`
	Status    string  \`json:"status"\`
	Amount    float64 \`json:"amount"\`
	Currency  string  \`json:"currency"\`
}

func isGenuine(secret string, headers http.Header, body []byte) bool {
	id, stamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if id == "" || err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, each := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(each), expected) {
			return true
		}
	}
	return false
}

// Receiver calls onPayment once for each callback, however often it is delivered.
func Receiver(secret string, onPayment func(Payment)) http.Handler {
	// In production, keep the ids in your database, in the transaction that books the payment.
	seen := map[string]bool{}
	var lock sync.Mutex
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
		if err != nil {
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		var payment Payment
		if !isGenuine(secret, r.Header, body) || json.Unmarshal(body, &payment) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		lock.Lock()
		defer lock.Unlock()
		if id := r.Header.Get("webhook-id"); !seen[id] {
			seen[id] = true
			onPayment(payment)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
`

const TESTS_GO = `package payments

import (
	"net/http/httptest"
	"testing"

	sandbox "github.com/OWNER/payments-sandbox/clients/go"
)

func startShop(t *testing.T, world *sandbox.World) (callbackURL string, received *[]Payment) {
	received = &[]Payment{}
	server := httptest.NewServer(Receiver(world.Secret, func(p Payment) { *received = append(*received, p) }))
	t.Cleanup(server.Close)
	return server.URL + "/callbacks/payments", received
}

func TestAnOrderIsPaid(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world)
	payment := world.Pay(sandbox.Payment{CallbackURL: url})
	world.Settle()
	if len(*received) != 1 || (*received)[0].Reference != payment.Reference || (*received)[0].Status != "success" {
		t.Error(*received)
	}
}

func TestThePayerCancels(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world)
	world.Pay(sandbox.Payment{Outcome: "payer-cancels", CallbackURL: url})
	world.Settle()
	if len(*received) != 1 || (*received)[0].Status != "failed" {
		t.Error(*received)
	}
}

func TestACallbackThatIsDeliveredTwiceCountsOnce(t *testing.T) {
	world := sandbox.NewWorld(t)
	url, received := startShop(t, world)
	payment := world.Pay(sandbox.Payment{Outcome: "duplicate-callback", CallbackURL: url})
	world.Settle()
	if deliveries := world.Callback(payment).Deliveries; deliveries != 2 || len(*received) != 1 {
		t.Error(deliveries, *received)
	}
}
`

export function goFiles(): Language {
  return {
    own: [
      { path: 'payments/receiver.go', text: RECEIVER_GO },
      { path: 'payments/receiver_test.go', text: TESTS_GO },
    ],
    test: 'go test ./payments',
    setup: `      - uses: actions/setup-go@v5
        with:
          go-version: stable`,
    next: [
      'go mod edit -require=github.com/OWNER/payments-sandbox/clients/go@v0.1.0 -replace=github.com/OWNER/payments-sandbox/clients/go=CHECKOUT/clients/go',
    ],
  }
}
