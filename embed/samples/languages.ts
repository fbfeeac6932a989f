import type { Language } from './sample.ts'
import { csharp, java, php, python } from './scripts.ts'
import { curl, go, javascript, ruby } from './shells.ts'

/** The languages of samples, in the order they are offered. */
export const languages: readonly Language[] = [curl, javascript, python, php, java, go, ruby, csharp]
