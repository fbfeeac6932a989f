/** A YAML editor with line numbers, colours, marked errors and completion. */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import type { ScenarioIssue } from '../../src/generated/control/types.ts'
import {
  type Place,
  type Proposal,
  type Schema,
  offsetOf,
  painted,
  placeAt,
  proposalsFor,
} from '../core/yaml.ts'

/** Longer texts are not coloured, so that typing stays fast. */
const PAINTED = 1_500

export interface CodeFieldProps {
  readonly label: string
  readonly text: string
  readonly onInput: (text: string) => void
  readonly onSave: () => void
  readonly issues: readonly ScenarioIssue[]
  readonly schema: Schema | undefined
  /** Receives a function that moves the cursor. */
  readonly jump: { current: ((line: number, column: number) => void) | undefined }
}

interface Open {
  readonly place: Place
  readonly proposals: readonly Proposal[]
  readonly chosen: number
}

export function CodeField({ label, text, onInput, onSave, issues, schema, jump }: CodeFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState<Open>()
  const [leaves, setLeaves] = useState(false)
  const id = useId()
  const lines = useMemo(() => text.split('\n'), [text])

  jump.current = (line, column) => {
    const { current } = field
    const at = offsetOf(text, line, column)
    current!.focus({ preventScroll: true })
    current!.setSelectionRange(at, at)
    const height = current!.scrollHeight / lines.length
    scroller.current!.scrollIntoView({ block: 'nearest' })
    scroller.current!.scrollTop = (line - 4) * height
  }

  /** Suggests words at the cursor. @param asked - whether the reader requested suggestions */
  const propose = (asked: boolean) => {
    const { value, selectionStart, selectionEnd } = field.current!
    const place = selectionStart === selectionEnd && schema ? placeAt(value, selectionStart) : undefined
    const proposals = place && schema && (asked || place.word !== '') ? proposalsFor(schema, place) : []
    setOpen(place && proposals.length > 0 ? { place, proposals, chosen: 0 } : undefined)
  }
  const accept = ({ place, proposals, chosen }: Open) => {
    const { word } = proposals[chosen]!
    const { current } = field
    current!.setSelectionRange(place.from, current!.selectionEnd)
    type(place.kind === 'key' ? `${word}: ` : word)
    setOpen(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const done = handle(event)
    if (done) event.preventDefault()
  }
  const handle = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, shiftKey } = event
    if ((ctrlKey || metaKey) && key === 's') return (onSave(), true)
    if (ctrlKey && key === ' ') return (propose(true), true)
    if (ctrlKey || metaKey || event.altKey || event.isComposing) return false
    if (open) {
      const by = { ArrowDown: 1, ArrowUp: -1 }[key]
      const { length } = open.proposals
      if (by) return (setOpen({ ...open, chosen: (open.chosen + by + length) % length }), true)
      if (key === 'Enter' || key === 'Tab') return (accept(open), true)
      if (key === 'Escape') return (setOpen(undefined), true)
    }
    if (key === 'Escape') return (setLeaves(true), true)
    if (key === 'Tab' && leaves) return (setLeaves(false), false)
    if (key !== 'Shift') setLeaves(false)
    if (key === 'Tab') return (shiftKey ? outdent(field.current!) : type('  '), true)
    if (key === 'Enter') return (type(`\n${indentAfter(field.current!)}`), true)
    return false
  }
  const marks = useMemo(() => {
    const all = new Map<number, number[]>()
    for (const { line, column } of issues) all.set(line, [...(all.get(line) ?? []), column - 1])
    return all
  }, [issues])

  return (
    <div class="code-field" ref={scroller}>
      <ol class="gutter" aria-hidden="true">
        {lines.map((_, n) => (
          <li key={n} class={marks.has(n + 1) ? 'wrong' : ''}>
            {n + 1}
          </li>
        ))}
      </ol>
      <div class="written">
        <pre aria-hidden="true">
          {lines.length > PAINTED
            ? text
            : lines.map((line, n) => <Line key={n} line={line} marks={marks.get(n + 1)} />)}
        </pre>
        <textarea
          ref={field}
          id={`${id}-field`}
          aria-label={label}
          aria-describedby={`${id}-keys`}
          aria-invalid={issues.length > 0}
          aria-autocomplete="list"
          aria-controls={open ? `${id}-words` : undefined}
          aria-activedescendant={open ? `${id}-${open.chosen}` : undefined}
          value={text}
          onInput={({ currentTarget }) => {
            onInput(currentTarget.value)
            propose(false)
          }}
          onKeyDown={onKeyDown}
          onClick={() => setOpen(undefined)}
          onBlur={() => {
            setOpen(undefined)
            setLeaves(false)
          }}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          wrap="off"
        />
        {open && <Words id={id} open={open} text={text} choose={(chosen) => accept({ ...open, chosen })} />}
      </div>
      <p id={`${id}-keys`} class="unseen">
        Tab indents; Escape and then Tab leaves. Control and space completes a word, control and S saves.
      </p>
      <p class="unseen" role="status">
        {open ? `${open.proposals.length} suggestions: ${open.proposals[open.chosen]!.word}` : ''}
        {leaves ? 'Tab now leaves the field.' : ''}
      </p>
    </div>
  )
}

function Line({ line, marks }: { line: string; marks: readonly number[] | undefined }) {
  const about = `${marks}`
  return useMemo(
    () => (
      <>
        {painted(line, marks).map(({ text, is, wrong }, n) => (
          <span key={n} class={`y-${is} ${wrong ? 'y-wrong' : ''}`}>
            {text}
          </span>
        ))}
        {'\n'}
      </>
    ),
    [line, about],
  )
}

interface WordsProps {
  readonly id: string
  readonly open: Open
  readonly text: string
  readonly choose: (n: number) => void
}

function Words({ id, open: { place, proposals, chosen }, text, choose }: WordsProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current!.children[chosen]?.scrollIntoView({ block: 'nearest' }), [chosen])
  const before = text.slice(0, place.from)
  const line = before.split('\n').length
  const column = before.length - before.lastIndexOf('\n') - 1
  return (
    <ul
      id={`${id}-words`}
      class="words"
      role="listbox"
      aria-label="Suggestions"
      tabIndex={-1}
      ref={list}
      style={{
        top: `calc(${line} * var(--code-line) + 0.6rem)`,
        left: `calc(${Math.min(column, 40)}ch + 0.6rem)`,
      }}
    >
      {proposals.map(({ word, about }, n) => (
        <li
          key={word}
          id={`${id}-${n}`}
          role="option"
          aria-selected={n === chosen}
          onMouseDown={(event) => {
            event.preventDefault()
            choose(n)
          }}
        >
          <code>{word}</code>
          <span class="soft">{about}</span>
        </li>
      ))}
    </ul>
  )
}

/** Inserts text in a way that undo can revert. */
const type = (text: string) => document.execCommand('insertText', false, text)

function indentAfter({ value, selectionStart }: HTMLTextAreaElement): string {
  const line = value.slice(value.lastIndexOf('\n', selectionStart - 1) + 1, selectionStart)
  const indent = /^\s*(?:-\s+)?/.exec(line)![0].replace('-', ' ')
  return /:\s*$/.test(line) ? `${indent}  ` : indent
}

function outdent(field: HTMLTextAreaElement): void {
  const { value, selectionStart } = field
  const begin = value.lastIndexOf('\n', selectionStart - 1) + 1
  const spaces = /^ {0,2}/.exec(value.slice(begin))![0].length
  if (spaces === 0) return
  field.setSelectionRange(begin, begin + spaces)
  document.execCommand('delete')
  const at = Math.max(begin, selectionStart - spaces)
  field.setSelectionRange(at, at)
}
