// The part of opentype.js that we use. The package has no types.
declare module 'opentype.js' {
  export interface PathCommand {
    readonly type: 'M' | 'L' | 'Q' | 'C' | 'Z'
    readonly x?: number
    readonly y?: number
    readonly x1?: number
    readonly y1?: number
    readonly x2?: number
    readonly y2?: number
  }
  export interface Font {
    hasChar(character: string): boolean
    getPath(text: string, x: number, y: number, fontSize: number): { readonly commands: readonly PathCommand[] }
    getAdvanceWidth(text: string, fontSize: number): number
  }
  const opentype: { parse(bytes: ArrayBuffer): Font }
  export default opentype
}
