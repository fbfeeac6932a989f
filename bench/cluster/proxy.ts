/** Proxy that delays traffic to a database: `proxy.ts DATABASE MILLISECONDS`. Sends its address to the parent process. */
import { startProxy } from '../../test/support/tcp-proxy.ts'

const [database, ms] = process.argv.slice(2)
const { url } = await startProxy(database!, Number(ms))
process.send?.(url)
process.on('disconnect', () => process.exit(0))
