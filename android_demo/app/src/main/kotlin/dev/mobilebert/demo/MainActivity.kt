package dev.mobilebert.demo

import android.content.Intent
import android.net.Uri
import android.os.Bundle
import androidx.activity.ComponentActivity
import androidx.activity.compose.setContent
import androidx.activity.enableEdgeToEdge
import androidx.activity.viewModels
import androidx.core.content.IntentCompat
import dev.mobilebert.demo.ui.DemoScreen
import dev.mobilebert.demo.ui.DemoTheme

/** The app's window. It takes texts and text files that other apps share, and
 * texts that the user selected in them. */
class MainActivity : ComponentActivity() {
    private val model: DemoViewModel by viewModels()

    override fun onCreate(savedInstanceState: Bundle?) {
        enableEdgeToEdge()
        super.onCreate(savedInstanceState)
        if (savedInstanceState == null) receive(intent)
        setContent { DemoTheme { DemoScreen(model) } }
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        receive(intent)
    }

    private fun receive(intent: Intent) {
        val text: CharSequence?
        val file: Uri?
        try {
            text = textIn(intent)
            file = fileIn(intent)
        } catch (_: RuntimeException) {
            // Another app may send what cannot be read. Before Android 13 one such extra spoils all.
            return
        }
        if (!text.isNullOrBlank()) model.receive(text.toString())
        else if (file != null) model.receive(file)
    }

    private fun textIn(intent: Intent): CharSequence? = when (intent.action) {
        Intent.ACTION_SEND -> intent.getCharSequenceExtra(Intent.EXTRA_TEXT)
        Intent.ACTION_PROCESS_TEXT -> intent.getCharSequenceExtra(Intent.EXTRA_PROCESS_TEXT)
        else -> null
    }

    private fun fileIn(intent: Intent): Uri? =
        if (intent.action != Intent.ACTION_SEND) null
        else IntentCompat.getParcelableExtra(intent, Intent.EXTRA_STREAM, Uri::class.java)
}
