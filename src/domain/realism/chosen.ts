import type { Look } from '../context.ts'

/** Whether operators and banks of a world refuse what real ones would. */
export const isRealistic = ({ settings }: Pick<Look, 'settings'>): boolean => settings.realism === 'realistic'
