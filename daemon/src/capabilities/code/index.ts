import { defineCapability } from '../../capability.ts';
import { BEFORE_CHANGE, beforeChange } from '../../core/ports/before-change-port.ts';
import { CODE } from '../../core/ports/code-port.ts';
import { provide } from '../../core/ports/port.ts';
import { tool } from '../../core/requirement.ts';
import { BashRuntime } from './bash/bash-runtime.ts';
import { codePort } from './code-port.ts';
import { CodeService } from './code-service.ts';
import { ExecutionStore } from './execution/execution-store.ts';
import { KernelRuntime } from './kernel/kernel-runtime.ts';
import { NodeRuntime } from './node/node-runtime.ts';
import { CodeOptions } from './options.ts';
import { OutsideRuntime } from './outside/outside-runtime.ts';
import { PlainPythonRuntime } from './python/plain-python-runtime.ts';
import { recoverCode } from './recover.ts';
import { codeReport } from './report.ts';
import { CODE_SCOPES } from './route-scopes.ts';
import { OneOffs } from './run/one-offs.ts';
import { Prewarmed } from './run/prewarmed.ts';
import { InterpreterProcesses } from './runtime/interpreter-processes.ts';
import { LanguageCatalogue } from './runtime/language-catalogue.ts';
import { kernelSessionsFor, memoryLimit, zygoteFor } from './session/kernel-sessions.ts';
import { SessionService } from './session/session-service.ts';
import { SessionTables } from './session/session-tables.ts';
import { codeTools } from './tools.ts';
import { codeV1 } from './v1/routes.ts';
import { codeV2 } from './v2/routes.ts';

/** Sessions of a language other than those of kernels, and the seconds after which an idle one is closed. */
const OTHERS = { maxSessions: 20, idleSeconds: 1800 };
/** Milliseconds after the start of the daemon at which Python is made ready, off the path of readiness. */
const WARM_AFTER_MS = 3000;

export const code = defineCapability({
  name: 'code',
  scopes: CODE_SCOPES,
  options: CodeOptions,
  requires: [tool('python3', { hint: 'apt-get install python3-ipykernel: Python cells' })],
  unsupportedOn: ['win32'],
  provides: [provide(CODE, codePort)],
  uses: [BEFORE_CHANGE],
  create: async (core, options, ports) => {
    const directory = core.runtime.directory('code');
    const processes = new InterpreterProcesses(core);
    const zygote = options.kernelZygote ?? zygoteFor(memoryLimit());
    const kernels = new KernelRuntime(processes, {
      isRequired: options.codeBackend === 'kernel',
      isForked: zygote !== 'never',
      preload: options.kernelPreload,
    });
    const { jupyterEndpoint } = options;
    const outside = jupyterEndpoint === undefined ? undefined : new OutsideRuntime(jupyterEndpoint);
    const own = [new NodeRuntime(processes), new BashRuntime(processes)];
    const catalogue = new LanguageCatalogue([
      ...(outside ? [outside] : []),
      ...own,
      kernels,
      new PlainPythonRuntime(processes),
    ]);
    const limits = {
      maxSessions: options.kernelMaxSessions ?? kernelSessionsFor(memoryLimit()),
      idleSeconds: options.kernelIdleSeconds,
    };
    const tables = new SessionTables(
      directory,
      { space: core.runtime.space, clock: core.clock },
      { kernel: limits, node: OTHERS, bash: OTHERS },
    );
    const executions = new ExecutionStore(core.runtime.directory('code/executions'), core.clock);
    core.runtime.space.offer('ended executions', () => executions.forgetOldest());
    const prewarmed = new Prewarmed(processes, core.logger);
    const sessions = new SessionService(tables, processes, prewarmed);
    const oneOffs = new OneOffs(processes, prewarmed, core.logger);
    const service = new CodeService(core, {
      catalogue,
      sessions,
      oneOffs,
      executions,
      processes,
      kernels,
      outside,
      backend: options.codeBackend,
      before: beforeChange(ports),
    });
    await recoverCode(core, { catalogue, tables, executions, processes, oneOffs, service });
    prewarmed.fill(catalogue, [
      { language: 'python', size: options.kernelPrewarm },
      { language: 'javascript', size: options.codePrewarm },
    ]);
    if (zygote === 'boot') kernels.warmAfter(WARM_AFTER_MS);
    core.metrics.gauge('code_sessions', 'Code sessions that are open.', () => sessions.list().length);
    core.metrics.gauge('code_warm', 'Interpreters that are kept warm.', () => prewarmed.size);
    core.metrics.gauge('code_zygotes', 'Processes that are ready to fork Python kernels.', () => kernels.zygotes);
    core.metrics.gauge('code_executions_running', 'Cells that run.', () => executions.running().length);
    return service;
  },
  v2: codeV2,
  v1: codeV1,
  tools: codeTools,
  report: (service) => codeReport(service),
});
