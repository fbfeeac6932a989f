/** Upstreams for the recording proxy. */
import type { Server as HttpServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { onTestFinished } from 'vitest'
import type { HarEntry } from '../../src/fidelity/har.ts'
import { type ProxyOptions, startProxy } from '../../src/fidelity/record.ts'

/** A key of no one's, and its certificate for localhost; both only for these tests. */
export const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAsIOvaP6vXO5BHwd
Afa7N/Nh7hIjzaArs9rDmjkXb4ehRANCAASXS/gYmQHL9lv8JAmtg9ocZ66QgDtw
KrDkq1P1Pcsp9oHpQd3PeguSaSevPjOhPWUPcCPmGBTE2zriLU/PCzw8
-----END PRIVATE KEY-----`
export const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUatfzkFZyRqPOnlm6/80GyBHjvTgwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNTE1NTY0NFoYDzIxMjYxMTAx
MTU1NjQ0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASXS/gYmQHL9lv8JAmtg9ocZ66QgDtwKrDkq1P1Pcsp9oHpQd3PeguS
aSevPjOhPWUPcCPmGBTE2zriLU/PCzw8o28wbTAdBgNVHQ4EFgQU4Z3SBrL81vRx
SwzAL+XyxFC93IowHwYDVR0jBBgwFoAU4Z3SBrL81vRxSwzAL+XyxFC93IowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgNiTBsyZtOtSf4FkXLaL9gvzYaF905ijQ/bhQJbCjM74CIQDd
cPnwQ3oisxtXgqwcwdbzaEsUWsmgdNSnXzR8igr78w==
-----END CERTIFICATE-----`

/** Lets a server listen until the test ends. */
export async function listen(server: Server) {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A proxy in front of a service, with what it records. */
export async function recording(service: string, options: Partial<ProxyOptions> = {}) {
  const entries: HarEntry[] = []
  const waiting: (() => void)[] = []
  const proxy = await startProxy({
    service,
    port: 0,
    onEntry: (entry) => {
      entries.push(entry)
      for (const resolve of waiting.splice(0)) resolve()
    },
    ...options,
  })
  onTestFinished(() => proxy.close())
  return {
    url: proxy.url,
    entries,
    /** Resolves when so many entries are recorded. */
    async recorded(count: number): Promise<void> {
      while (entries.length < count) await new Promise<void>((resolve) => waiting.push(resolve))
    },
  }
}
