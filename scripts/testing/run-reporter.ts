import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import type {
  Reporter,
  SerializedError,
  TestCase,
  TestModule,
  TestSpecification,
  TestSuite,
  Vitest,
} from 'vitest/node';
import { EXPECTED_SKIPS } from './expected-skips.ts';
import { judgeRun, type Terms } from './judge-run.ts';
import { has } from './machine.ts';
import { CLOCK_TESTS, E2E_TESTS, UNIT_TESTS } from './projects.ts';
import { nameOf, type TestOutcome } from './run-report.ts';

/** Fails a run for unexpected skips, and writes `--outputFile.run=FILE`. */
export class RunReporter implements Reporter {
  readonly #terms: Terms;
  #vitest: Vitest | undefined;
  #specifications: readonly TestSpecification[] = [];

  constructor(terms: Terms = { expected: EXPECTED_SKIPS, has }) {
    this.#terms = terms;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications;
  }

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const chosen = this.#areTestsChosen();
    const failures = modules.flatMap(failuresIn);
    const whole = chosen ? [] : await this.#wholeProjects(modules);
    const cwd = this.#vitest?.config.root ?? '.';
    // Any machine runs the tests by the clock, which have a run of their own.
    const files = globSync([...UNIT_TESTS, E2E_TESTS], { cwd, exclude: [...CLOCK_TESTS] });
    const report = judgeRun({ tests: modules.flatMap(outcomesIn), failures, chosen, whole, files }, this.#terms);
    // vitest has already printed its own failures.
    const ours = report.failures.slice(failures.length);
    for (const failure of ours) this.#vitest?.logger.error(`FAILED: ${failure}`);
    if (ours.length > 0) process.exitCode = 1;
    const { outputFile } = this.#vitest?.config ?? {};
    const file = typeof outputFile === 'object' ? outputFile['run'] : undefined;
    if (file === undefined) return;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(report));
  }

  #areTestsChosen(): boolean {
    const { testNamePattern, tagsFilter } = this.#vitest?.config ?? {};
    return (
      testNamePattern !== undefined ||
      (tagsFilter?.length ?? 0) > 0 ||
      this.#specifications.some(({ testLines, testIds }) => testLines !== undefined || testIds !== undefined)
    );
  }

  async #wholeProjects(modules: readonly TestModule[]): Promise<string[]> {
    const ran = new Set(modules.map(({ project, moduleId }) => `${project.name} ${moduleId}`));
    const all = (await this.#vitest?.globTestSpecifications()) ?? [];
    const partial = new Set(
      all.filter(({ project, moduleId }) => !ran.has(`${project.name} ${moduleId}`)).map(({ project }) => project.name),
    );
    return [...new Set(modules.map(({ project }) => project.name))].filter((name) => !partial.has(name));
  }
}

function outcomesIn(module: TestModule): TestOutcome[] {
  return [...module.children.allTests()].map((test) => {
    const { state } = test.result();
    // The group's failure is reported once; it is the only reason why its tests did not run.
    const blocked = state !== 'passed' && groupsAround(test).some((group) => group.errors().length > 0);
    const milliseconds = test.diagnostic()?.duration;
    return {
      ...placeOf(test),
      project: module.project.name,
      state: blocked ? 'failed' : state,
      ...(milliseconds !== undefined && { milliseconds: Math.round(milliseconds) }),
    };
  });
}

function failuresIn(module: TestModule): string[] {
  const groups = [module, ...module.children.allSuites()].flatMap((group) =>
    group.errors().map((error) => `${nameOf(placeOf(group))}: ${firstLine(error)}`),
  );
  const tests = [...module.children.allTests('failed')].map(
    (test) => `${nameOf(placeOf(test))}: ${firstLine(test.result().errors?.[0])}`,
  );
  return [...groups, ...tests];
}

function placeOf(task: TestCase | TestSuite | TestModule): Pick<TestOutcome, 'file' | 'titles'> {
  if (task.type === 'module') return { file: task.relativeModuleId, titles: [] };
  const groups = groupsAround(task).flatMap((group) => (group.type === 'suite' ? [group.name] : []));
  return { file: task.module.relativeModuleId, titles: [...groups.reverse(), task.name] };
}

/** From the innermost to the file. */
function groupsAround({ parent }: TestCase | TestSuite): (TestSuite | TestModule)[] {
  return parent.type === 'module' ? [parent] : [parent, ...groupsAround(parent)];
}

function firstLine(error: SerializedError | undefined): string {
  const { name = 'Error', message = '' } = error ?? {};
  return `${name}: ${message.trim().split('\n', 1)[0] || 'no message'}`;
}
