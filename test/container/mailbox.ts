import { createServer, type AddressInfo } from 'node:net'

/** A mail server on loopback that takes everything; `text` is what it was told so far. */
export async function startMailbox() {
  let text = ''
  const server = createServer((socket) => {
    let inMail = false
    socket.setEncoding('utf8').on('error', () => {})
    socket.on('data', (part: string) => {
      text += part
      if (inMail && !text.endsWith('\r\n.\r\n')) return
      const begins = !inMail && part.startsWith('DATA')
      inMail = begins
      socket.write(begins ? '354 go on\r\n' : '250 ok\r\n')
    })
    socket.write('220 mailbox\r\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    text: () => text,
    close: () => server.close(),
  }
}
