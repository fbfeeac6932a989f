/** Stands between sandboxes and their database and holds up what they send: `proxy.ts DATABASE MILLISECONDS`. Tells its address. */
import { startProxy } from '../../test/support/tcp-proxy.ts'

const [database, ms] = process.argv.slice(2)
const { url } = await startProxy(database!, Number(ms))
process.send?.(url)
process.on('disconnect', () => process.exit(0))
