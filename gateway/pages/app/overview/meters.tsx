import type { Resources } from '@sandbox/program/resources/resources.ts';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { bytesText } from '../parts/format.ts';
import { Panel } from '../parts/panel.tsx';

/** From this share on a meter is coloured as high. */
const HIGH = 0.85;

/** Processor, memory and disk of the sandbox. */
export function Meters({ resources }: { readonly resources: Resources }): JSX.Element {
  const cpu = useCpuShare(resources.cpu);
  const { memory, disk } = resources;
  const processors = `${Number(resources.cpu.count.toFixed(2))} ${resources.cpu.count === 1 ? 'processor' : 'processors'}`;
  return (
    <Panel title={`Resources of the ${resources.of}`}>
      <ul class="meters">
        <Meter
          name="CPU"
          share={cpu}
          text={cpu === undefined ? processors : `${Math.round(cpu * 100)} % of ${processors}`}
        />
        <Meter
          name="Memory"
          share={memory.used / memory.total}
          text={`${bytesText(memory.used)} of ${bytesText(memory.total)}`}
        />
        {disk && (
          <Meter
            name="Disk"
            share={disk.used / disk.total}
            text={`${bytesText(disk.used)} of ${bytesText(disk.total)}`}
          />
        )}
      </ul>
    </Panel>
  );
}

function Meter(props: {
  readonly name: string;
  readonly share: number | undefined;
  readonly text: string;
}): JSX.Element {
  const share = Math.min(1, Math.max(0, props.share ?? 0));
  return (
    <li class="meter">
      <strong>{props.name}</strong>
      <span class="quiet">{props.text}</span>
      <div
        class={`level ${share >= HIGH ? 'high' : ''}`}
        role="meter"
        aria-label={props.name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
        aria-valuetext={props.text}
      >
        <span style={{ width: `${share * 100}%` }} />
      </div>
    </li>
  );
}

/** The share of the processors that was used between the last two answers; undefined before the second one. */
function useCpuShare(cpu: Resources['cpu']): number | undefined {
  const last = useRef({ cpu, share: undefined as number | undefined });
  const { at_ms: from, used_ms: before } = last.current.cpu;
  if (cpu.at_ms !== from) {
    const elapsed = (cpu.at_ms - from) * cpu.count;
    // A gateway that was started again has another clock.
    last.current = { cpu, share: elapsed > 0 ? Math.max(0, cpu.used_ms - before) / elapsed : undefined };
  }
  return last.current.share;
}
