import type { Report } from '../../core/survey/survey.ts';
import type { CodeService } from './code-service.ts';

/** The section of `/v1/capabilities`. */
export async function codeReport(service: CodeService): Promise<Report> {
  const languages = await service.languages();
  const kernels = await service.kernelNames();
  const missing = ['python', 'javascript', 'bash'].filter((name) =>
    languages.every(({ language }) => language !== name),
  );
  return {
    code_interpreter: {
      backend: service.backend,
      jupyter_backend: kernels.length > 0 ? 'ipykernel' : null,
      python_kernels: kernels,
      node: languages.some(({ language }) => language === 'javascript'),
      missing: kernels.length > 0 ? missing : [...missing, 'ipykernel'],
    },
  };
}
