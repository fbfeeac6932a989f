/** From createSandbox() to the first 200, without a port; sends a message to the parent process. */
import { openSandbox } from './sandbox.ts'

const { sandbox } = await openSandbox()
const answer = await sandbox.fetch(
  new Request('http://localhost/api/v2/account/63', {
    headers: { authorization: `Basic ${Buffer.from('demo:demo').toString('base64')}` },
  }),
)
process.send?.(answer.status)
await sandbox.close()
process.exit(0)
