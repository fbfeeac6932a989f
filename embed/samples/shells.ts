import { indented, type Language, quoted, single } from './sample.ts'

/** Quotes a word for a shell. */
const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export const curl: Language = {
  name: 'curl',
  write: ({ method, url, body, username, password }) =>
    [
      `curl${method === 'GET' ? '' : ` -X ${method}`} ${shell(url)}`,
      `-u ${shell(`${username}:${password}`)}`,
      ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shell(body)}`]),
    ].join(' \\\n  '),
}

export const javascript: Language = {
  name: 'JavaScript',
  write: ({ method, url, body, username, password }) => `const answer = await fetch(${single(url)}, {
  method: '${method}',
  headers: {
    Authorization: \`Basic \${btoa(${single(`${username}:${password}`)})}\`,${
      body === undefined
        ? '\n  },'
        : `
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indented(body, '  ')}),`
    }
})
console.log(answer.status, await answer.json())`,
}

export const ruby: Language = {
  name: 'Ruby',
  write: ({ method, url, body, username, password }) => `require "json"
require "net/http"

uri = URI(${single(url)})
request = Net::HTTP::${method[0]! + method.slice(1).toLowerCase()}.new(uri)
request.basic_auth(${single(username)}, ${single(password)})${
    body === undefined
      ? ''
      : `
request["Content-Type"] = "application/json"
request.body = ${single(body)}`
  }
answer = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") { |http| http.request(request) }
puts answer.code, answer.body`,
}

export const go: Language = {
  name: 'Go',
  write: ({ method, url, body, username, password }) => `package main

import (
	"fmt"
	"io"
	"net/http"${body === undefined ? '' : '\n\t"strings"'}
)

func main() {
	request, err := http.NewRequest(${quoted(method)}, ${quoted(url)}, ${body === undefined ? 'nil' : `strings.NewReader(${goText(body)})`})
	if err != nil {
		panic(err)
	}
	request.SetBasicAuth(${quoted(username)}, ${quoted(password)})${
    body === undefined ? '' : `\n\trequest.Header.Set("Content-Type", "application/json")`
  }
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	fmt.Println(answer.StatusCode, string(text))
}`,
}

/** Raw strings cannot contain backticks. */
const goText = (text: string) => (text.includes('`') ? quoted(text) : `\`${text}\``)
