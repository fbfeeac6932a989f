import { useEffect, useState } from 'preact/hooks'
import { copy } from '../core/actions.ts'
import { settings } from '../core/settings.ts'
import { Button, Card, Said } from './bits.tsx'

interface Props {
  /** An address of the sandbox, or a fragment of the dashboard's address. */
  readonly href: string
  readonly what: string
}

export function RealPhone({ href, what }: Props) {
  const [shown, setShown] = useState(false)
  const address = href.startsWith('#') ? `${settings.origin}/dashboard${href}` : href
  return (
    <Card
      title="On a real phone"
      actions={
        <>
          <Button needs="read" onClick={() => void copy(address, 'Address')}>
            Copy the address
          </Button>
          <Button needs="read" onClick={() => setShown(!shown)}>
            {shown ? 'Hide the code' : 'Show a code'}
          </Button>
        </>
      }
    >
      {isHere(address) && (
        <p class="soft in-card">
          Phones cannot reach <Said>{new URL(address).host}</Said>, which is this machine. Start the sandbox
          with <code>HOST=0.0.0.0</code> and open this page by the machine's address in the network, or set{' '}
          <code>SANDBOX_PUBLIC_URL</code>.
        </p>
      )}
      {shown && (
        <div class="with-qr in-card">
          <Qr text={address} label={`Code of the address of ${what}`} />
          <div class="stack-cards">
            <p>Point the camera of a phone at it: {what} opens there. The address holds no password.</p>
            {settings.password === undefined && href.startsWith('#') && (
              <p class="soft">It requires an API key there, since a payer changes the world.</p>
            )}
            <code class="soft small">
              <Said>{address}</Said>
            </code>
          </div>
        </div>
      )}
    </Card>
  )
}

/** A QR code, whose generator is loaded when first needed. */
function Qr({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ readonly size: number; readonly path: string }>()
  useEffect(() => {
    let current = true
    import('uqr').then(
      ({ encode }) => {
        const { size, data } = encode(text, { ecc: 'M', border: 3 })
        const path = data
          .flatMap((row, y) => row.flatMap((on, x) => (on ? `M${x} ${y}h1v1h-1z` : [])))
          .join('')
        if (current) setDrawn({ size, path })
      },
      () => {},
    )
    return () => {
      current = false
    }
  }, [text])
  if (!drawn) return <div class="qr" aria-busy="true" />
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${drawn.size} ${drawn.size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={drawn.path} />
    </svg>
  )
}

/** Whether an address only works on the same machine. */
function isHere(address: string): boolean {
  const { hostname } = new URL(address)
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)$/.test(hostname)
}
