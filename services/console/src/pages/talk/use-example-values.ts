import { useLocalStorage } from '@mantine/hooks';
import type { Variable } from '../../components/variable-fields.tsx';

type Values = Readonly<Record<string, string>>;

/**
 * Values for the variables of an agent: those that were last entered in this browser, or else the examples of its
 * schema.
 */
export function useExampleValues(
  agentId: string,
  variables: readonly Variable[],
): [Values, (path: string, value: string) => void] {
  const [entered, setEntered] = useLocalStorage<Values>({
    key: `calls.example-values.${agentId}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const examples = Object.fromEntries(variables.map(({ path, example = '' }) => [path, example]));
  return [
    { ...examples, ...entered },
    (path, value) => setEntered((before) => ({ ...before, [path]: value })),
  ];
}
