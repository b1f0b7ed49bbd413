import { z } from 'zod'
import { type ConfigOf, setting, settingGroup } from '../setting.ts'
import { urlLike } from '../setting-values.ts'

/** `name=value` pairs, separated by commas. Values are percent-encoded, as OpenTelemetry has it. */
const headerPairs = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const pairs = text.split(',').map((part) => {
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*([\x21-\x7e]*)\s*$/.exec(part) ?? []
    if (name === undefined) context.addIssue({ code: 'custom', message: 'must look like api-key=abc,other=def' })
    return [name?.toLowerCase() ?? '', decoded(value ?? '')] as const
  })
  return Object.fromEntries(pairs)
})

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const ratio = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a number from 0 to 1')
  .transform(Number)

/** The names are OpenTelemetry's, so that operators can use what they know from other services. */
export const tracingSettings = settingGroup(
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: setting(
      urlLike('http://127.0.0.1:4318').refine(
        (text) => !URL.canParse(text) || new URL(text).username === '',
        'must have no user name',
      ),
      {
        unset: 'none: no traces',
        help: 'the collector that traces are sent to, by OTLP/HTTP with JSON, such as `http://127.0.0.1:4318`. Without it, tracing costs nothing. See [operations](operations.md#traces)',
      },
    ),
    OTEL_EXPORTER_OTLP_HEADERS: setting(headerPairs, {
      unset: 'none',
      help: 'headers for the collector, such as `api-key=abc`. Values are percent-encoded',
    }),
    OTEL_TRACES_SAMPLER: setting(z.enum(['traceidratio', 'parentbased_traceidratio']), {
      default: 'traceidratio',
      help: 'who decides which traces are recorded: `traceidratio` is us alone, because any client can send a `traceparent`. `parentbased_traceidratio` does as the `traceparent` says, for services behind a gateway that replaces it',
    }),
    OTEL_TRACES_SAMPLER_ARG: setting(ratio, {
      default: '0.05',
      help: 'which share of requests and jobs is recorded, from `0` to `1`',
    }),
    OTEL_SERVICE_NAME: setting(z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must have 1 to 100 visible characters'), {
      default: 'pennypost',
      help: 'the name of this service in traces',
    }),
  },
  (values) => ({
    tracing:
      values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : {
            endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT,
            headers: values.OTEL_EXPORTER_OTLP_HEADERS ?? {},
            sampler: values.OTEL_TRACES_SAMPLER,
            sampleRatio: values.OTEL_TRACES_SAMPLER_ARG,
            serviceName: values.OTEL_SERVICE_NAME,
          },
  }),
)

export type TracingConfig = ConfigOf<typeof tracingSettings>
export type TracingSettings = NonNullable<TracingConfig['tracing']>
