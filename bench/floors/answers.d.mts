export function collection(): object
export function account(): { account: object }
export function channel(id: number): object
export function channels(count: number): object
