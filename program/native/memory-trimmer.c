#include <malloc.h>
#include <stddef.h>

/*
 * An addon of Node with one function, which gives free memory of the C library back to the system (malloc_trim(3)).
 * The declarations are those of Node-API version 1, a stable interface (https://nodejs.org/api/n-api.html).
 */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
extern int napi_create_function(napi_env, const char *name, size_t length, napi_callback, void *data, napi_value *);

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports);

static napi_value trim(napi_env env, napi_callback_info info) {
  (void)env;
  (void)info;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return NULL;
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value function;
  const size_t until_nul = (size_t)-1;
  return napi_create_function(env, "trim", until_nul, trim, NULL, &function) == 0 ? function : exports;
}
