import { SimpleGrid } from '@mantine/core';
import { Section } from '../../components/layout.tsx';
import { NumberField, SecondsField } from '../../components/editor/fields.tsx';

export function TurnSection() {
  return (
    <Section title="Turn-taking" description="When the user has finished, and what interrupts the agent.">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <SecondsField
          path="vadSettings.turnEndpointDelay"
          label="Silence that ends a turn"
          placeholder="0.384 s"
          step={0.032}
          description="With a longer value, the agent interrupts less; with a shorter one, it responds sooner."
        />
        <SecondsField
          path="vadSettings.minimumTurnDuration"
          label="Minimum turn"
          placeholder="0 s"
          step={0.032}
          description="Shorter speech is ignored as noise."
        />
        <SecondsField
          path="vadSettings.minimumInterruptionDuration"
          label="Minimum interruption"
          placeholder="0.09 s"
          step={0.03}
        />
        <NumberField
          path="vadSettings.frameActivationThreshold"
          label="Speech threshold"
          placeholder="0.1"
          min={0.1}
          max={1}
          step={0.1}
          description="0.1 to 1; higher values ignore more background noise."
        />
      </SimpleGrid>
    </Section>
  );
}
