import process from 'node:process';
import { describe, test } from 'vitest';
import { has, type MachineProperty } from '../../../scripts/testing/machine.ts';
import { CALLERS, type CallerName } from '../../day/callers.ts';
import { condaPlace, type OpenPlace, pyenvPlace, systemPlace, uvPlace, venvPlace } from '../../day/host-places.ts';
import { workingDay } from '../../day/working-day.ts';

interface Row {
  readonly place: string;
  readonly open: () => Promise<OpenPlace>;
  /** Beside the registries, from which the set-up fills the directory of wheels. */
  readonly needs?: MachineProperty;
}

const PLACES: readonly Row[] = [
  { place: 'npm start with the Python of Debian', open: () => systemPlace(), needs: 'PEP 668' },
  {
    place: 'npm start with a ~/.venv of Debian with matplotlib before the start',
    open: () => systemPlace({ isPrepared: true }),
    needs: 'PEP 668',
  },
  { place: 'a virtual environment', open: () => venvPlace() },
  {
    place: 'a virtual environment with matplotlib before the start',
    open: () => venvPlace({ isPrepared: true }),
  },
  { place: 'the layout of pyenv', open: () => pyenvPlace(), needs: 'pyenv' },
  {
    place: 'the layout of pyenv with matplotlib before the start',
    open: () => pyenvPlace({ isPrepared: true }),
    needs: 'pyenv',
  },
  { place: 'the layout of conda', open: condaPlace, needs: 'pyenv' },
  { place: 'an environment of uv', open: uvPlace },
];

const ROUTES = Object.keys(CALLERS) as CallerName[];

for (const { place, open, needs } of PLACES) {
  describe.runIf(has('registries') && (needs === undefined || has(needs)))(`in ${place}`, () => {
    test.for(ROUTES)('[code.day] a working day by %s', { timeout: 300_000 }, async (route) => {
      await using opened = await open();
      const { cells, seconds, slowest } = await workingDay(opened, route);
      process.stdout.write(`${place}, ${route}: ${cells} cells in ${seconds.toFixed(1)} s, ${slowest}\n`);
    });
  });
}
