/* Runs .tflite files on the JVM, for the tests, with the C functions of LiteRT's library for Linux.
 *
 * The app does not use this: on Android, LiteRT has its own Java classes. The prototypes are those
 * in litert/c of google-ai-edge/LiteRT 2.3. A handle is an opaque pointer; status 0 is success.
 */
#include <dlfcn.h>
#include <jni.h>
#include <stdlib.h>
#include <string.h>

enum { CPU = 1, HOST_MEMORY = 1, READ = 0, WRITE = 1, MAX_TENSORS = 16 };

typedef void *Handle;
/* The library fills it and takes it back. It is larger than the library's 72 bytes. */
typedef struct { long opaque[16]; } TensorType;

static struct {
  int (*CreateEnvironment)(int, const void *, Handle *);
  int (*CreateModelFromFile)(Handle, const char *, Handle *);
  int (*CreateOptions)(Handle *);
  int (*SetOptionsHardwareAccelerators)(Handle, int);
  int (*CreateCompiledModel)(Handle, Handle, Handle, Handle *);
  int (*GetNumModelSignatures)(Handle, size_t *);
  int (*GetModelSignature)(Handle, size_t, Handle *);
  int (*GetSignatureKey)(Handle, const char **);
  int (*GetNumSignatureInputs)(Handle, size_t *);
  int (*GetNumSignatureOutputs)(Handle, size_t *);
  int (*GetSignatureInputName)(Handle, size_t, const char **);
  int (*GetSignatureOutputName)(Handle, size_t, const char **);
  int (*GetSignatureInputTensorByIndex)(Handle, size_t, Handle *);
  int (*GetSignatureOutputTensorByIndex)(Handle, size_t, Handle *);
  int (*GetRankedTensorType)(Handle, TensorType *);
  int (*GetCompiledModelInputBufferRequirements)(Handle, size_t, size_t, Handle *);
  int (*GetCompiledModelOutputBufferRequirements)(Handle, size_t, size_t, Handle *);
  int (*CreateManagedTensorBufferFromRequirements)(Handle, const TensorType *, Handle, Handle *);
  int (*GetTensorBufferPackedSize)(Handle, size_t *);
  int (*LockTensorBuffer)(Handle, void **, int);
  int (*UnlockTensorBuffer)(Handle);
  int (*RunCompiledModel)(Handle, size_t, size_t, Handle *, size_t, Handle *);
  void (*DestroyTensorBuffer)(Handle);
  void (*DestroyCompiledModel)(Handle);
  void (*DestroyOptions)(Handle);
  void (*DestroyModel)(Handle);
  void (*DestroyEnvironment)(Handle);
} api;

static const char *const names[] = {
  "CreateEnvironment", "CreateModelFromFile", "CreateOptions", "SetOptionsHardwareAccelerators",
  "CreateCompiledModel", "GetNumModelSignatures", "GetModelSignature", "GetSignatureKey",
  "GetNumSignatureInputs", "GetNumSignatureOutputs", "GetSignatureInputName",
  "GetSignatureOutputName", "GetSignatureInputTensorByIndex", "GetSignatureOutputTensorByIndex",
  "GetRankedTensorType", "GetCompiledModelInputBufferRequirements",
  "GetCompiledModelOutputBufferRequirements", "CreateManagedTensorBufferFromRequirements",
  "GetTensorBufferPackedSize", "LockTensorBuffer", "UnlockTensorBuffer", "RunCompiledModel",
  "DestroyTensorBuffer", "DestroyCompiledModel", "DestroyOptions", "DestroyModel",
  "DestroyEnvironment",
};
_Static_assert(sizeof names / sizeof *names == sizeof api / sizeof(void *), "a name for each");

typedef struct {
  Handle environment, model, options, compiled;
} Opened;

static void fail(JNIEnv *env, const char *what) {
  jclass type = (*env)->FindClass(env, "java/lang/IllegalStateException");
  if (!(*env)->ExceptionCheck(env)) (*env)->ThrowNew(env, type, what);
}

static int load(JNIEnv *env, const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fail(env, dlerror()), 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[80] = "LiteRt";
    void *found = dlsym(library, strcat(name, names[i]));
    if (found == NULL) return fail(env, name), 0;
    memcpy((char *)&api + i * sizeof found, &found, sizeof found);
  }
  return 1;
}

static void destroy(Opened *opened) {
  if (opened->compiled) api.DestroyCompiledModel(opened->compiled);
  if (opened->options) api.DestroyOptions(opened->options);
  if (opened->model) api.DestroyModel(opened->model);
  if (opened->environment) api.DestroyEnvironment(opened->environment);
  free(opened);
}

JNIEXPORT jlong JNICALL Java_dev_mobilebert_core_LiteRt_open(JNIEnv *env, jobject self,
                                                             jstring library, jstring path) {
  const char *library_path = (*env)->GetStringUTFChars(env, library, NULL);
  int loaded = load(env, library_path);
  (*env)->ReleaseStringUTFChars(env, library, library_path);
  if (!loaded) return 0;
  Opened *opened = calloc(1, sizeof *opened);
  const char *model_path = (*env)->GetStringUTFChars(env, path, NULL);
  const char *error =
      api.CreateEnvironment(0, NULL, &opened->environment) ? "no environment"
      : api.CreateModelFromFile(opened->environment, model_path, &opened->model) ? "not a model"
      : api.CreateOptions(&opened->options) ? "no options"
      : api.SetOptionsHardwareAccelerators(opened->options, CPU) ? "no CPU"
      : api.CreateCompiledModel(opened->environment, opened->model, opened->options,
                                &opened->compiled) ? "cannot be compiled" : NULL;
  (*env)->ReleaseStringUTFChars(env, path, model_path);
  if (error == NULL) return (jlong)opened;
  destroy(opened);
  fail(env, error);
  return 0;
}

JNIEXPORT void JNICALL Java_dev_mobilebert_core_LiteRt_close(JNIEnv *env, jobject self,
                                                             jlong model) {
  destroy((Opened *)model);
}

typedef int (*Count)(Handle, size_t *);
typedef int (*Name)(Handle, size_t, const char **);

static int signature_key(Handle model, size_t index, const char **key) {
  Handle signature;
  int status = api.GetModelSignature(model, index, &signature);
  return status ? status : api.GetSignatureKey(signature, key);
}

static jobjectArray list(JNIEnv *env, Handle of, Count count, Name name) {
  size_t size = 0;
  if (count(of, &size)) return fail(env, "cannot count"), NULL;
  jclass type = (*env)->FindClass(env, "java/lang/String");
  jobjectArray found = (*env)->NewObjectArray(env, (jsize)size, type, NULL);
  for (size_t i = 0; i < size; i++) {
    const char *text = NULL;
    if (name(of, i, &text)) return fail(env, "cannot name"), NULL;
    (*env)->SetObjectArrayElement(env, found, (jsize)i, (*env)->NewStringUTF(env, text));
  }
  return found;
}

static Handle signature_of(JNIEnv *env, jlong model, jint index) {
  Handle signature = NULL;
  if (api.GetModelSignature(((Opened *)model)->model, (size_t)index, &signature))
    fail(env, "no such signature");
  return signature;
}

JNIEXPORT jobjectArray JNICALL Java_dev_mobilebert_core_LiteRt_signatures(JNIEnv *env, jobject self,
                                                                          jlong model) {
  return list(env, ((Opened *)model)->model, api.GetNumModelSignatures, signature_key);
}

JNIEXPORT jobjectArray JNICALL Java_dev_mobilebert_core_LiteRt_inputNames(JNIEnv *env, jobject self,
                                                                          jlong model, jint index) {
  Handle signature = signature_of(env, model, index);
  return signature == NULL ? NULL
      : list(env, signature, api.GetNumSignatureInputs, api.GetSignatureInputName);
}

JNIEXPORT jobjectArray JNICALL Java_dev_mobilebert_core_LiteRt_outputNames(
    JNIEnv *env, jobject self, jlong model, jint index) {
  Handle signature = signature_of(env, model, index);
  return signature == NULL ? NULL
      : list(env, signature, api.GetNumSignatureOutputs, api.GetSignatureOutputName);
}

static Handle buffer_of(JNIEnv *env, Opened *opened, Handle signature, size_t index, size_t tensor,
                        int is_input) {
  Handle handle, requirements, buffer = NULL;
  TensorType type;
  int status = is_input ? api.GetSignatureInputTensorByIndex(signature, tensor, &handle)
                        : api.GetSignatureOutputTensorByIndex(signature, tensor, &handle);
  if (!status) status = api.GetRankedTensorType(handle, &type);
  if (!status)
    status = is_input ? api.GetCompiledModelInputBufferRequirements(opened->compiled, index, tensor,
                                                                    &requirements)
                      : api.GetCompiledModelOutputBufferRequirements(opened->compiled, index,
                                                                     tensor, &requirements);
  if (!status)
    status = api.CreateManagedTensorBufferFromRequirements(opened->environment, &type, requirements,
                                                           &buffer);
  if (status) fail(env, "no memory for a tensor");
  return status ? NULL : buffer;
}

static void fill(JNIEnv *env, Handle buffer, jintArray values) {
  size_t size = 0;
  void *memory = NULL;
  jsize count = (*env)->GetArrayLength(env, values);
  if (api.GetTensorBufferPackedSize(buffer, &size) || size != (size_t)count * sizeof(jint) ||
      api.LockTensorBuffer(buffer, &memory, WRITE))
    return fail(env, "an input is not as long as the signature");
  (*env)->GetIntArrayRegion(env, values, 0, count, memory);
  api.UnlockTensorBuffer(buffer);
}

static jfloatArray copy(JNIEnv *env, Handle buffer) {
  size_t size = 0;
  void *memory = NULL;
  if (api.GetTensorBufferPackedSize(buffer, &size) || api.LockTensorBuffer(buffer, &memory, READ))
    return fail(env, "cannot read an output"), NULL;
  jsize count = (jsize)(size / sizeof(jfloat));
  jfloatArray values = (*env)->NewFloatArray(env, count);
  (*env)->SetFloatArrayRegion(env, values, 0, count, memory);
  api.UnlockTensorBuffer(buffer);
  return values;
}

JNIEXPORT jobjectArray JNICALL Java_dev_mobilebert_core_LiteRt_run(JNIEnv *env, jobject self,
                                                                   jlong model, jint index,
                                                                   jobjectArray values) {
  Opened *opened = (Opened *)model;
  Handle signature = signature_of(env, model, index);
  Handle inputs[MAX_TENSORS] = {0}, outputs[MAX_TENSORS] = {0};
  size_t num_inputs = 0, num_outputs = 0;
  jobjectArray found = NULL;
  if (signature == NULL || api.GetNumSignatureInputs(signature, &num_inputs) ||
      api.GetNumSignatureOutputs(signature, &num_outputs) || num_inputs > MAX_TENSORS ||
      num_outputs > MAX_TENSORS || num_inputs != (size_t)(*env)->GetArrayLength(env, values))
    return fail(env, "other inputs than the signature's"), NULL;
  for (size_t i = 0; i < num_inputs && !(*env)->ExceptionCheck(env); i++) {
    inputs[i] = buffer_of(env, opened, signature, (size_t)index, i, 1);
    if (inputs[i]) fill(env, inputs[i], (*env)->GetObjectArrayElement(env, values, (jsize)i));
  }
  for (size_t i = 0; i < num_outputs && !(*env)->ExceptionCheck(env); i++)
    outputs[i] = buffer_of(env, opened, signature, (size_t)index, i, 0);
  if (!(*env)->ExceptionCheck(env)) {
    if (api.RunCompiledModel(opened->compiled, (size_t)index, num_inputs, inputs, num_outputs,
                             outputs)) {
      fail(env, "the run failed");
    } else {
      found = (*env)->NewObjectArray(env, (jsize)num_outputs, (*env)->FindClass(env, "[F"), NULL);
      for (size_t i = 0; i < num_outputs; i++)
        (*env)->SetObjectArrayElement(env, found, (jsize)i, copy(env, outputs[i]));
    }
  }
  for (size_t i = 0; i < MAX_TENSORS; i++) {
    if (inputs[i]) api.DestroyTensorBuffer(inputs[i]);
    if (outputs[i]) api.DestroyTensorBuffer(outputs[i]);
  }
  return found;
}
