import { indented, type Language, literal, quoted, single, type Writing } from './sample.ts'

const pythonWriting: Writing = {
  text: quoted,
  words: { true: 'True', false: 'False', null: 'None' },
  list: ['[', ']'],
  map: ['{', ': ', '}'],
  none: '{}',
}

export const python: Language = {
  name: 'Python',
  write: ({ method, url, body, username, password }) => `import requests

answer = requests.${method.toLowerCase()}(
    ${quoted(url)},
    auth=(${quoted(username)}, ${quoted(password)}),${
      body === undefined ? '' : `\n    json=${literal(JSON.parse(body), pythonWriting, '    ')},`
    }
)
print(answer.status_code, answer.json())`,
}

const phpWriting: Writing = {
  text: single,
  words: { true: 'true', false: 'false', null: 'null' },
  list: ['[', ']'],
  map: ['[', ' => ', ']'],
  none: '(object) []',
}

export const php: Language = {
  name: 'PHP',
  write: ({ method, url, body, username, password }) => `<?php
$credentials = base64_encode(${single(`${username}:${password}`)});
$request = stream_context_create(['http' => [
    'method' => '${method}',
    'header' => ["Authorization: Basic $credentials"${body === undefined ? '' : `, 'Content-Type: application/json'`}],${
      body === undefined
        ? ''
        : `\n    'content' => json_encode(${literal(JSON.parse(body), phpWriting, '    ')}),`
    }
    'ignore_errors' => true,
]]);
echo file_get_contents(${single(url)}, false, $request), PHP_EOL;`,
}

/** Escapes a text block, which ends at three quotes. */
const block = (body: string) => `"""\n${body.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')}"""`

export const java: Language = {
  name: 'Java',
  write: ({ method, url, body, username, password }) => `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;

class Pay {
    public static void main(String[] args) throws Exception {
        var credentials = Base64.getEncoder().encodeToString(${quoted(`${username}:${password}`)}.getBytes());
        var request = HttpRequest.newBuilder(URI.create(${quoted(url)}))
            .header("Authorization", "Basic " + credentials)${
              body === undefined
                ? `\n            .method(${quoted(method)}, HttpRequest.BodyPublishers.noBody())`
                : `
            .header("Content-Type", "application/json")
            .method(${quoted(method)}, HttpRequest.BodyPublishers.ofString(${indented(block(body), '                ')}))`
            }
            .build();
        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        System.out.println(answer.statusCode() + " " + answer.body());
    }
}`,
}

/** In verbatim strings only quotes are special. */
const verbatim = (text: string) => `@"${text.replaceAll('"', '""')}"`

export const csharp: Language = {
  name: 'C#',
  write: ({ method, url, body, username, password }) => `using System.Net.Http.Headers;
using System.Text;

using var client = new HttpClient();
var request = new HttpRequestMessage(new HttpMethod(${quoted(method)}), ${quoted(url)});
var credentials = Convert.ToBase64String(Encoding.UTF8.GetBytes(${quoted(`${username}:${password}`)}));
request.Headers.Authorization = new AuthenticationHeaderValue("Basic", credentials);${
    body === undefined
      ? ''
      : `\nrequest.Content = new StringContent(${verbatim(body)}, Encoding.UTF8, "application/json");`
  }
var answer = await client.SendAsync(request);
Console.WriteLine($"{(int)answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");`,
}
