import { useState } from 'preact/hooks'
import { byteLength, hexOf, isBinary, sizeOf } from '../core/bodies.ts'
import { download } from '../core/actions.ts'
import { laidOut } from '../core/format.ts'
import { Block, Button, Pill } from './bits.tsx'

/** Characters shown before the reader expands a body. */
const LONG = 6_000

interface Props {
  readonly label: string
  readonly text: string
  /** File name for downloads. */
  readonly file: string
}

/** A body as text, formatted or raw, or as bytes if it is not text. */
export function Body({ label, text, file }: Props) {
  const [raw, setRaw] = useState(false)
  const [all, setAll] = useState(false)
  if (text === '') return <p class="soft">No body.</p>
  if (isBinary(text)) return <Bytes label={label} text={text} file={file} />
  const pretty = laidOut(text)
  const shown = raw ? text : pretty
  const long = !all && shown.length > LONG
  return (
    <>
      {(pretty !== text || shown.length > LONG) && (
        <div class="row tools">
          {pretty !== text && (
            <span class="chips">
              <button type="button" class="chip" aria-pressed={!raw} onClick={() => setRaw(false)}>
                Formatted
              </button>
              <button type="button" class="chip" aria-pressed={raw} onClick={() => setRaw(true)}>
                Raw
              </button>
            </span>
          )}
          <Save text={text} file={file} />
        </div>
      )}
      <Block label={label} text={shown}>
        {long ? `${shown.slice(0, LONG)}…` : shown}
      </Block>
      {long && (
        <Button needs="read" kind="quiet" onClick={() => setAll(true)}>
          Show all {sizeOf(byteLength(text))}
        </Button>
      )}
    </>
  )
}

const Bytes = ({ label, text, file }: Props) => (
  <>
    <div class="row tools">
      <Pill tone="plain">binary, {sizeOf(byteLength(text))}</Pill>
      <Save text={text} file={file} />
    </div>
    <details class="fold">
      <summary>First bytes</summary>
      <p class="soft small">Bodies are kept as text: a byte that is none is ??.</p>
      <Block label={`${label}, first bytes`} text={hexOf(text)} />
    </details>
  </>
)

const Save = ({ text, file }: { text: string; file: string }) => (
  <Button needs="read" kind="quiet" onClick={() => download(file, text)}>
    Download
  </Button>
)
