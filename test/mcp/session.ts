import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`

/** An agent's connection to a sandbox in this process. @param user `name:password` */
export async function connectAgent(
  sandbox: Pick<Sandbox, 'fetch'>,
  user: string,
  { headers = {}, revision }: { headers?: Record<string, string>; revision?: string } = {},
) {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    revision === undefined ? {} : { versionNegotiation: { mode: { pin: revision } } },
  )
  const transport = new StreamableHTTPClientTransport(new URL('http://sandbox.test/mcp'), {
    fetch: async (url, init) => sandbox.fetch(new Request(url, init)),
    requestInit: { headers: { authorization: basic(user), ...headers } },
  })
  await client.connect(transport)
  afterAll(() => client.close())
  return client
}

/** What a tool answered. */
export interface Answer {
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what the client sees
  readonly facts: any
  readonly isError: boolean
}

/** Calls tools by their names. */
export const callerOf =
  (client: Pick<Client, 'callTool'>) =>
  async (name: string, input: Record<string, unknown> = {}): Promise<Answer> => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: input })
    const [first] = content as { text: string }[]
    return { text: first?.text ?? '', facts: structuredContent, isError: isError === true }
  }
