// Package paymentssandbox tests integrations against the payments sandbox: an isolated world, clock and callbacks for each test.
//
//	func TestThePayerCancels(t *testing.T) {
//		world := paymentssandbox.NewWorld(t)
//		payment := world.Pay(paymentssandbox.Payment{Outcome: "payer-cancels"})
//		world.Settle()
//		if status := world.Callback(payment).Body["status"]; status != "failed" {
//			t.Error(status)
//		}
//	}
package paymentssandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Version is the version of this client, which is that of the sandbox it belongs to.
const Version = "0.1.0"

// Object is a JSON object.
type Object = map[string]any

// Error is the response to a rejected request.
type Error struct {
	Status int
	// Code is the error_code of the response; empty if there is none.
	Code string
	// Body is the response body; nil if it is not a JSON object.
	Body    Object
	message string
}

func (e *Error) Error() string { return e.message }

// Client controls a world of a sandbox with an API key. All methods return an *Error if the sandbox rejects the request.
type Client struct {
	URL, Username, Password string
	operations              *operations
	http                    *http.Client
}

// NewClient connects to the sandbox at an address.
func NewClient(url, username, password string) *Client {
	// The sandbox waits at most 60 s.
	return &Client{strings.TrimRight(url, "/"), username, password, &operations{}, &http.Client{Timeout: 90 * time.Second}}
}

// Request sends a request with the credentials of the world. It returns the response and its body, whatever the status.
func (c *Client) Request(method, path string, body any, headers map[string]string) (*http.Response, []byte, error) {
	var sent io.Reader
	if text, isText := body.(string); isText {
		sent = strings.NewReader(text)
	} else if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, nil, err
		}
		sent = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, c.URL+path, sent)
	if err != nil {
		return nil, nil, err
	}
	request.SetBasicAuth(c.Username, c.Password)
	if sent != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, content, err
}

// ask decodes an accepted response into `into`: text that is not JSON into an *any.
func (c *Client) ask(method, path string, body any, headers map[string]string, into any) (*http.Response, error) {
	response, content, err := c.Request(method, path, body, headers)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 400 {
		return nil, c.rejected(method, path, response.StatusCode, content)
	}
	if value, isAny := into.(*any); isAny && !strings.Contains(response.Header.Get("Content-Type"), "json") {
		*value = string(content)
		return response, nil
	}
	if into == nil || len(content) == 0 {
		return response, nil
	}
	return response, json.Unmarshal(content, into)
}

func (c *Client) rejected(method, path string, status int, content []byte) error {
	rejected := &Error{Status: status, message: fmt.Sprintf("%s %s: status %d", method, path, status)}
	json.Unmarshal(content, &rejected.Body)
	rejected.Code, _ = rejected.Body["error_code"].(string)
	if message, ok := rejected.Body["error_message"].(string); ok {
		rejected.message = fmt.Sprintf("%s %s: %s", method, path, message)
		if status == 404 && strings.Contains(message, "path "+path+" was not found") {
			theirs := struct{ Version string }{"of another version"}
			c.ask("GET", "/__admin/version", nil, nil, &theirs)
			if theirs.Version != Version {
				rejected.message += fmt.Sprintf(": the sandbox is %s and this client is %s; use the sandbox of this version", theirs.Version, Version)
			}
		}
	}
	if status == 401 && strings.Contains(c.Username, "+w-") {
		rejected.message = fmt.Sprintf("%s %s: the world of %s has ended: it was deleted, or not used for too long; create another one", method, path, c.Username)
	}
	return rejected
}

// Call calls any operation of the service or of the control API by its name: Call("getTeam", Object{"id": 63}, nil). Parameters are
// those of the path and the query. It returns a map, a list or a text.
func (c *Client) Call(operation string, parameters Object, body any) (any, error) {
	method, path, err := c.operations.place(c, operation, parameters)
	if err != nil {
		return nil, err
	}
	var result any
	_, err = c.ask(method, path, body, nil, &result)
	return result, err
}

// operations are the operations of the descriptions by name, read on first use.
type operations struct {
	once   sync.Once
	places map[string]place
	err    error
}

type place struct {
	method, path string
	parameters   []string
}

type parameter struct{ Ref, Name, In string }

func (p *parameter) UnmarshalJSON(text []byte) error {
	var fields map[string]any
	err := json.Unmarshal(text, &fields)
	p.Ref, _ = fields["$ref"].(string)
	p.Name, _ = fields["name"].(string)
	p.In, _ = fields["in"].(string)
	return err
}

func (o *operations) read(c *Client) error {
	o.places = map[string]place{}
	for _, path := range []string{"/openapi.json", "/sandbox/openapi.json"} {
		var description struct {
			Paths      map[string]map[string]json.RawMessage
			Components struct{ Parameters map[string]parameter }
		}
		if _, err := c.ask("GET", path, nil, nil, &description); err != nil {
			return err
		}
		for path, item := range description.Paths {
			var shared []parameter
			json.Unmarshal(item["parameters"], &shared)
			for _, method := range []string{"get", "put", "post", "delete", "patch"} {
				var operation struct {
					OperationId string
					Parameters  []parameter
				}
				if json.Unmarshal(item[method], &operation); operation.OperationId == "" {
					continue
				}
				found := place{method: strings.ToUpper(method), path: path}
				for _, each := range slices.Concat(shared, operation.Parameters) {
					if each.Ref != "" {
						each = description.Components.Parameters[each.Ref[strings.LastIndex(each.Ref, "/")+1:]]
					}
					if each.In == "path" || each.In == "query" {
						found.parameters = append(found.parameters, each.Name)
					}
				}
				o.places[operation.OperationId] = found
			}
		}
	}
	return nil
}

// place returns the method and the path of an operation.
func (o *operations) place(c *Client, name string, given Object) (string, string, error) {
	if o.once.Do(func() { o.err = o.read(c) }); o.err != nil {
		return "", "", o.err
	}
	found, known := o.places[name]
	if !known {
		names := make([]string, 0, len(o.places))
		for each := range o.places {
			names = append(names, each)
		}
		return "", "", fmt.Errorf("there is no operation %s%s", name, suggestion(name, names))
	}
	path, query := found.path, url.Values{}
	for each, value := range given {
		text := fmt.Sprint(value)
		if !slices.Contains(found.parameters, each) {
			return "", "", fmt.Errorf("%s (%s %s) has no parameter %s%s", name, found.method, found.path, each, suggestion(each, found.parameters))
		}
		if strings.Contains(path, "{"+each+"}") {
			path = strings.ReplaceAll(path, "{"+each+"}", url.PathEscape(text))
		} else {
			query.Set(each, text)
		}
	}
	if start := strings.Index(path, "{"); start >= 0 {
		return "", "", fmt.Errorf("%s (%s %s): the parameter %s is missing", name, found.method, found.path, path[start+1:strings.Index(path, "}")])
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return found.method, path, nil
}

// suggestion returns the nearest known word for the end of a message, or all words if none is near.
func suggestion(word string, known []string) string {
	best, least := "", len(word)/2+1
	slices.Sort(known)
	for _, each := range known {
		if edits := distance(strings.ToLower(word), strings.ToLower(each)); edits < least {
			best, least = each, edits
		}
	}
	if best != "" {
		return fmt.Sprintf(" (did you mean %s?)", best)
	}
	return fmt.Sprintf(" (known are %s)", strings.Join(known, ", "))
}

// distance is the Levenshtein distance, in one row.
func distance(from, to string) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(to) {
			changed := diagonal
			if from[i] != to[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
