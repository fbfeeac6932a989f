import { root } from './settings.ts'

/** Debounces `work` to once per frame, or four times per second in a hidden window. */
export function eachFrame(work: () => void): () => void {
  let asked = false
  let done = () => {}
  const run = () => {
    asked = false
    work()
    done()
  }
  return () => {
    if (asked) return
    asked = true
    done = waiting()
    if (document.hidden) setTimeout(run, 250)
    else requestAnimationFrame(run)
  }
}

/** Throttles `work`. @param rest - milliseconds between two runs */
export function atMostEvery(rest: number, work: () => Promise<void>, soon = 60): () => void {
  let asked = false
  let resting = false
  let done = () => {}
  const run = async () => {
    resting = true
    asked = false
    const came = done
    try {
      await work()
    } finally {
      came()
      setTimeout(() => {
        resting = false
        if (asked) void run()
      }, rest)
    }
  }
  return () => {
    if (asked) return
    asked = true
    done = waiting()
    if (!resting) setTimeout(() => void run(), soon)
  }
}

/** Number of pending requests, including scheduled ones. */
let open = 0

const count = (by: number) => {
  open += by
  root.dataset['reading'] = String(open)
}
count(0)

/**
 * Marks something as pending; the root element shows it as `data-reading`. @returns how to mark it as done
 */
export function waiting(): () => void {
  let by = 1
  count(by)
  return () => {
    count(-by)
    by = 0
  }
}
