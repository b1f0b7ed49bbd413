/** The package has no types. `key-functions.ts` declares what it uses. */
declare module 'libsodium-sumo' {
  export default function instantiate(): Promise<unknown>
}
