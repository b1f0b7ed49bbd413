/** All tables. Each room declares its own tables where it writes them: `declare module '…/tables.ts'`. */
// biome-ignore lint/suspicious/noEmptyInterface: rooms fill it in
export interface Tables {}
