#ifndef NATIVE_NODE_API_H
#define NATIVE_NODE_API_H

#include <stddef.h>
#include <stdint.h>

/*
 * Declarations of Node-API version 1, a stable interface (https://nodejs.org/api/n-api.html), so that no header of Node
 * is needed. Each call returns 0, or the number of a failure.
 */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);

extern int napi_create_function(napi_env, const char *name, size_t length, napi_callback, void *data, napi_value *);
extern int napi_get_cb_info(napi_env, napi_callback_info, size_t *argc, napi_value *argv, napi_value *self, void **data);
extern int napi_get_buffer_info(napi_env, napi_value, void **bytes, size_t *length);
extern int napi_get_value_int32(napi_env, napi_value, int32_t *);
extern int napi_create_buffer_copy(napi_env, size_t length, const void *bytes, void **copy, napi_value *);
extern int napi_create_int32(napi_env, int32_t, napi_value *);
extern int napi_set_named_property(napi_env, napi_value object, const char *name, napi_value);

/* The length of a name that ends with NUL. */
#define UNTIL_NUL ((size_t)-1)

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports);

#endif
