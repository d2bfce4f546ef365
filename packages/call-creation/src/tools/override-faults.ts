import { compileUntrustedSchema, type BaseToolDefinition, type Fault } from '@calls/api-contract';
import { builtInToolName } from './built-in-tools.ts';
import { parametersOf } from './parameters.ts';

export interface OverriddenTool {
  toolId: string | null;
  definition: BaseToolDefinition;
}

type Overrides = Readonly<Record<string, unknown>>;

/** Of the parameters that a selection fixes. `isTemplate`: texts may have variables, so that what they will be is unknown. */
export function overrideFaults(tool: OverriddenTool, overrides: Overrides, isTemplate: boolean): Fault[] {
  const { definition } = tool;
  const names = new Set(parametersOf(definition).map(({ name }) => name));
  const required = definition.requirements?.requiredParameterOverrides ?? [];
  return [
    ...Object.keys(overrides)
      .filter((name) => !names.has(name))
      .map((name) => ({ path: `parameterOverrides.${name}`, message: 'is not a parameter of the tool' })),
    ...required
      .filter((name) => !Object.hasOwn(overrides, name))
      .map((name) => ({ path: `parameterOverrides.${name}`, message: 'is required by the tool' })),
    ...(builtInToolName(tool.toolId) === null ? [] : valueFaults(definition, overrides, isTemplate)),
  ];
}

/** Servers of customers take what their owners send them; the service itself takes what fits. */
function valueFaults(definition: BaseToolDefinition, overrides: Overrides, isTemplate: boolean): Fault[] {
  const isOpen = (value: unknown): boolean => isTemplate && typeof value === 'string' && value.includes('{{');
  const given = Object.entries(overrides).filter(([, value]) => !isOpen(value));
  return given.flatMap(([name, value]) => {
    const schema = schemaOf(definition, name);
    if (schema === undefined) return [];
    return compileUntrustedSchema(name, schema)
      .faults(value)
      .map(({ message }) => ({ path: `parameterOverrides.${name}`, message }));
  });
}

function schemaOf(
  { dynamicParameters = [], staticParameters = [] }: BaseToolDefinition,
  name: string,
): unknown {
  const fixed = staticParameters.find((parameter) => parameter.name === name);
  if (fixed) return { type: typeof fixed.value };
  return dynamicParameters.find((parameter) => parameter.name === name)?.schema;
}
