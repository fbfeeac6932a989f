import { createServer } from 'node:net'
import { closeLater } from './close-later.ts'

/** An SMTP server that accepts every mail. Closed after the file's tests. */
export async function startMailServer() {
  const received: string[] = []
  const mails: string[] = []
  let arrive = (_all: string) => {}
  const arrived = new Promise<string>((resolve) => (arrive = resolve))
  const server = createServer((socket) => {
    let inData = false
    let mail = ''
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString()
      received.push(text)
      mail += text
      if (inData) {
        if (!mail.endsWith('\r\n.\r\n')) return
        inData = false
        mails.push(mail)
        mail = ''
        socket.write('250 ok\r\n')
        arrive(received.join(''))
      } else if (text.startsWith('DATA')) {
        inData = true
        socket.write('354 go\r\n')
      } else socket.write('250 ok\r\n')
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeLater(async () => void server.close())
  return {
    url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}`,
    /** Everything that arrived until the first mail was complete. */
    arrived,
    /** The commands and the text of each mail, with quoted-printable decoded. */
    mails: () => mails.map(decoded),
  }
}

const decoded = (mail: string) =>
  mail
    .replace(/=\r\n/g, '')
    .replace(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
