import { useEffect, useState } from 'preact/hooks'

/** A QR code, whose generator is loaded when first needed. */
export function Qr({ text, label }: { text: string; label: string }) {
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
