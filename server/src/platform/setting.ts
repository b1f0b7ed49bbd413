import type { z } from 'zod'
import { StartError } from './data-dir.ts'

/** An environment variable: how its text is read, and its row in docs/settings.md. */
export interface Setting<T = unknown> {
  readonly schema: z.ZodType<T>
  /** The text that is read if the variable is not set. */
  readonly default?: string
  /** The default as the page describes it, if there is none or if it depends on other settings. */
  readonly unset?: string
  readonly help: string
  /** Whether production cannot start without it, or not with it. */
  readonly production?: 'required' | 'refused'
}

type About = Pick<Setting, 'help' | 'production'>

/** Declares a setting. Without a default, its value is undefined if it is not set. */
export function setting<T>(schema: z.ZodType<T>, about: About & { readonly default: string }): Setting<T>
export function setting<T>(schema: z.ZodType<T>, about: About & { readonly unset: string }): Setting<T | undefined>
export function setting(schema: z.ZodType, about: Omit<Setting, 'schema'>): Setting {
  return { schema, ...about }
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The settings of one room, and how they become its part of the configuration. */
export interface SettingGroup<C> {
  readonly declared: Readonly<Record<string, Setting>>
  /** Throws a StartError of one line that names the wrong setting. */
  read(environment: Environment): C
}

export type ConfigOf<G> = G extends SettingGroup<infer C> ? C : never

type ValuesOf<S extends Readonly<Record<string, Setting>>> = {
  readonly [N in keyof S]: S[N] extends Setting<infer T> ? T : never
}

export const settingGroup = <S extends Readonly<Record<string, Setting>>, C>(
  declared: S,
  /** `textOf` gives the text of a setting of another room, if it is set. */
  toConfig: (values: ValuesOf<S>, isProduction: boolean, textOf: (name: string) => string | undefined) => C,
): SettingGroup<C> => ({
  declared,
  read(environment) {
    const isProduction = environment.NODE_ENV === 'production'
    const values = Object.entries(declared).map(([name, each]) => [
      name,
      readSetting(name, each, environment, isProduction),
    ])
    return toConfig(Object.fromEntries(values), isProduction, (name) => environment[name] || undefined)
  },
})

/** The problem that a start would report for one setting alone; undefined if it has none. */
export function findSettingProblem(name: string, declared: Setting, environment: Environment): string | undefined {
  try {
    readSetting(name, declared, environment, environment.NODE_ENV === 'production')
    return undefined
  } catch (error) {
    if (error instanceof StartError) return error.message
    throw error
  }
}

function readSetting(name: string, declared: Setting, environment: Environment, isProduction: boolean): unknown {
  const given = environment[name]
  // An empty value counts as not set.
  const isSet = given !== undefined && given !== ''
  // The signer serves no readers and sends no email.
  const isRequired = declared.production === 'required' && environment.ROLE !== 'signer'
  if (isProduction && isRequired && !isSet) throw new StartError(`${name}: is required in production`)
  if (isProduction && declared.production === 'refused' && isSet && given !== declared.default)
    throw new StartError(`${name}: is for development only`)
  const text = isSet ? given : declared.default
  if (text === undefined) return undefined
  const { success, data, error } = declared.schema.safeParse(text)
  if (!success) throw new StartError(`${name}: ${error.issues[0]?.message}`)
  return data
}
